#pragma once
/// Writes operands and results for a script, which compares the results with NumPy's.

#include <placement/interop/npy.hpp>
#include <placement/placement.hpp>

#include <fstream>
#include <string>

/// The cases of a folder: its cases.txt has a line `function|argument|operands|result` for each,
/// with names of .npy files.
class cases {
 public:
  explicit cases(std::string const& folder) : folder_(folder), list_(folder + "/cases.txt") {}

  template <class R, class... X>
  void add(std::string const& function, std::string const& argument, R const& result,
           X const&... operand) {
    list_ << function << '|' << argument << '|';
    (save(operand), ...);
    list_ << '|';
    save(placement::tensor(result));
    list_ << '\n';
  }

 private:
  template <class X> void save(X const& x) {
    std::string const name = std::to_string(files_++) + ".npy";
    placement::save_npy(folder_ + "/" + name, placement::tensor(x));
    list_ << name << ' ';
  }

  std::string folder_;
  std::ofstream list_;
  int files_ = 0;
};
