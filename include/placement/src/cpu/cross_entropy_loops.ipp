#pragma once
/// Definitions of cross_entropy.hpp: rows of float and double.

#include <placement/config.hpp>
#include <placement/cpu/cross_entropy.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

template <class T>
void cross_entropy_loops<T>::losses(T* out, T const* x, classes const& labels,
                                    work_chunk const& rows) {
  losses_of_rows(out, x, labels, rows);
}
template <class T>
void cross_entropy_loops<T>::losses(T* out, T const* x, probabilities const& labels,
                                    work_chunk const& rows) {
  losses_of_rows(out, x, labels, rows);
}
template <class T>
void cross_entropy_loops<T>::gradients(T* out, T const* x, classes const& labels, T const* g,
                                       index_t step, work_chunk const& rows) {
  loss_gradients_of_rows(out, x, labels, g, step, rows);
}
template <class T>
void cross_entropy_loops<T>::gradients(T* out, T const* x, probabilities const& labels, T const* g,
                                       index_t step, work_chunk const& rows) {
  loss_gradients_of_rows(out, x, labels, g, step, rows);
}

#if defined(PLACEMENT_EMIT_DEFINITIONS)
template struct cross_entropy_loops<float>;
template struct cross_entropy_loops<double>;
#endif

}}}  // namespace placement::v0_1::detail
