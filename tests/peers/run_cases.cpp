// Computes the cases that compare.py draws.
//
//   run_cases FOLDER DEVICE    for each line of FOLDER/cases.txt, "ID OP ARGUMENT...", reads the
//                              operands ID/x0, ID/x1, ... of FOLDER/cases.npz and the gradient ID/g
//                              of the result, and writes ID/y, ID/d0, ID/d1, ... to
//                              FOLDER/results.npz
//   run_cases                  prints the names of the ops
#include "op_table.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

int main(int count, char** arguments) {
  if (count == 1) {
    for (auto const& [name, compute] : peers::all_ops()) std::printf("%s\n", name.c_str());
    return 0;
  }
  if (count != 3) return std::fprintf(stderr, "usage: run_cases [FOLDER DEVICE]\n"), 2;
  std::string const folder = arguments[1];
  placement::with_device const scope(arguments[2]);
  placement::npz_file const in(folder + "/cases.npz");
  placement::npz_writer out(folder + "/results.npz");
  std::ifstream cases(folder + "/cases.txt");
  int all = 0;
  for (std::string line; std::getline(cases, line); ++all) {
    std::istringstream words(line);
    std::string id, name;
    words >> id >> name;
    peers::op_case c{in, out, id, {}};
    for (double x = 0; words >> x;) c.arguments.push_back(x);
    auto const found = peers::all_ops().find(name);
    if (found == peers::all_ops().end())
      return std::fprintf(stderr, "no such op: %s\n", line.c_str()), 1;
    try {
      found->second(c);
    } catch (std::exception const& e) {
      return std::fprintf(stderr, "case %s: %s\n", line.c_str(), e.what()), 1;
    }
  }
  out.close();
  std::printf("%d cases on %s\n", all, arguments[2]);
}
