// Python bindings of PRank.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <limits>

#include "binding_tools.hpp"
#include "prank.hpp"

namespace rankforest {

using namespace nb::literals;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Rows2d view(const Matrix& X) {
    return {X.data(), static_cast<std::int64_t>(X.shape(0)), static_cast<std::int64_t>(X.shape(1))};
}

Rows2d view(const Matrix& X, const Vector<std::uint8_t>& labels, const PRankParams& params) {
    require(X.shape(0) >= 1 && X.shape(0) < std::numeric_limits<std::uint32_t>::max() && labels.size() == X.shape(0),
            "one label per row is needed");
    require(params.n_levels >= 2 && params.n_epochs >= 1, "at least two levels and one epoch are needed");
    require(*std::max_element(labels.data(), labels.data() + labels.size()) < params.n_levels,
            "a label is beyond the levels");
    return view(X);
}

nb::tuple prank(Matrix X, Vector<std::uint8_t> labels, const PRankParams& params, int n_learners, int n_threads) {
    const Rows2d rows = view(X, labels, params);
    require(n_learners >= 1, "at least one learner is needed");
    const std::size_t learners = n_learners, n_thresholds = params.n_levels - 1, n_epochs = params.n_epochs;
    std::vector<double> weights(learners * rows.q), thresholds(learners * n_thresholds), loss(learners * n_epochs);
    {
        const nb::gil_scoped_release released;
        learn_pranks(rows, labels.data(), params, n_learners, n_threads, signalled, weights.data(), thresholds.data(),
                     loss.data());
    }
    return nb::make_tuple(to_numpy(std::move(weights), {learners, static_cast<std::size_t>(rows.q)}),
                          to_numpy(std::move(thresholds), {learners, n_thresholds}),
                          to_numpy(std::move(loss), {learners, n_epochs}));
}

nb::tuple kernel_prank(Matrix X, Vector<std::uint8_t> labels, const PRankParams& params, int kind, double gamma,
                       double coef0, int degree) {
    const Rows2d rows = view(X, labels, params);
    require(kind >= 0 && kind <= 2, "there is no such kernel");
    const Kernel kernel{static_cast<KernelKind>(kind), gamma, coef0, degree};
    require(kernel.kind != KernelKind::precomputed || rows.n == rows.q, "a kernel matrix is square");
    std::vector<double> coefficients(rows.n), thresholds(params.n_levels - 1), loss(params.n_epochs);
    {
        const nb::gil_scoped_release released;
        learn_kernel_prank(rows, labels.data(), kernel, params, signalled, coefficients.data(), thresholds.data(),
                           loss.data());
    }
    return nb::make_tuple(to_numpy(std::move(coefficients)), to_numpy(std::move(thresholds)),
                          to_numpy(std::move(loss)));
}

Out<double> prank_scores(Matrix X, Vector<double> weights) {
    require(weights.size() == X.shape(1), "one weight per column is needed");
    std::vector<double> scores(X.shape(0));
    {
        const nb::gil_scoped_release released;
        score_by_weights(view(X), weights.data(), signalled, scores.data());
    }
    return to_numpy(std::move(scores));
}

Out<double> kernel_prank_scores(Matrix X, Matrix points, Vector<double> coefficients, int kind, double gamma,
                                double coef0, int degree) {
    require(points.shape(1) == X.shape(1) && coefficients.size() == points.shape(0),
            "points have the columns of the rows, and one coefficient each");
    require(kind == static_cast<int>(KernelKind::rbf) || kind == static_cast<int>(KernelKind::poly),
            "there is no such kernel");
    std::vector<double> scores(X.shape(0));
    {
        const nb::gil_scoped_release released;
        score_by_kernel(view(X), view(points), coefficients.data(),
                        {static_cast<KernelKind>(kind), gamma, coef0, degree}, signalled, scores.data());
    }
    return to_numpy(std::move(scores));
}

}  // namespace

void bind_prank(nb::module_& m) {
    nb::class_<PRankParams>(m, "PRankParams")
        .def(nb::init<int, int, bool, bool, double, std::uint64_t>(), "n_levels"_a, "n_epochs"_a, "shuffle"_a,
             "average"_a, "share"_a, "seed"_a);
    m.def("prank", &prank, "X"_a, "labels"_a, "params"_a, "n_learners"_a, "n_threads"_a);
    m.def("prank_scores", &prank_scores, "X"_a, "weights"_a);
    m.def("kernel_prank_scores", &kernel_prank_scores, "X"_a, "points"_a, "coefficients"_a, "kind"_a, "gamma"_a,
          "coef0"_a, "degree"_a);
    m.def("kernel_prank", &kernel_prank, "X"_a, "labels"_a, "params"_a, "kind"_a, "gamma"_a, "coef0"_a, "degree"_a);
}

}  // namespace rankforest
