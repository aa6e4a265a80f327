#pragma once
/// Texts and tags of XML and HTML.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// A text in an element or an attribute.
inline std::string xml_text(std::string_view s) {
  std::string out;
  for (char const c : s) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

/// An attribute; its value is not escaped.
struct xml_attribute {
  std::string_view name;
  std::string value;

  xml_attribute(std::string_view n, int v) : name(n), value(std::to_string(v)) {}
  xml_attribute(std::string_view n, std::string v) : name(n), value(std::move(v)) {}
};
/// `<name a="1" b="2"`; the caller closes the tag.
inline std::string xml_tag(std::string_view name, std::initializer_list<xml_attribute> all) {
  std::string out = "<" + std::string(name);
  for (xml_attribute const& a : all) {
    out += ' ';
    out.append(a.name).append(1, '=').append(1, '"').append(a.value).append(1, '"');
  }
  return out;
}

}}}  // namespace placement::v0_1::detail
