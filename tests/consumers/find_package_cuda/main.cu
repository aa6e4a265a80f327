#include "../main.cpp"
