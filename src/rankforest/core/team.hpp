// A small thread pool that works on one tree. Between two tasks its threads spin for a moment, because the next task
// usually follows within microseconds; then they sleep.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rankforest {

class Team {
public:
    // The calling thread is one of the n_threads. If the system refuses to start more threads, the team is smaller.
    explicit Team(int n_threads) {
        for (int t = 1; t < n_threads; ++t) {
            try {
                helpers_.emplace_back([this, t] { help(t); });
            } catch (const std::exception&) { break; }
        }
    }
    Team(const Team&) = delete;
    ~Team() {
        {
            const std::lock_guard lock(mutex_);
            over_.store(true);
        }
        begin_.notify_all();
        for (auto& helper : helpers_) helper.join();
    }

    int size() const { return static_cast<int>(helpers_.size()) + 1; }

    // Calls work(member) in every thread, including the caller; returns when all are done.
    void run(const std::function<void(int)>& work) {
        {
            const std::lock_guard lock(mutex_);
            work_ = &work;
            failure_ = nullptr;
            busy_.store(static_cast<int>(helpers_.size()), std::memory_order_relaxed);
            turn_.fetch_add(1, std::memory_order_release);
        }
        begin_.notify_all();
        std::exception_ptr own;
        try {
            work(0);
        } catch (...) { own = std::current_exception(); }
        const auto done = [&] { return busy_.load(std::memory_order_acquire) == 0; };
        if (!spin(done)) {
            std::unique_lock lock(mutex_);
            end_.wait(lock, done);
        }
        if (own) std::rethrow_exception(own);
        if (failure_) std::rethrow_exception(failure_);
    }

    // Splits begin .. end into equal parts and calls work(member, first, last) for each.
    void share(std::int64_t begin, std::int64_t end, const std::function<void(int, std::int64_t, std::int64_t)>& work) {
        const std::int64_t n = size(), rows = end - begin;
        run([&](int member) { work(member, begin + rows * member / n, begin + rows * (member + 1) / n); });
    }

    // Calls work(i) for i = 0 .. n - 1; each i is taken by the next free thread.
    void each(int n, const std::function<void(int)>& work) {
        std::atomic<int> next{0};
        run([&](int) {
            for (int i; (i = next.fetch_add(1)) < n;) work(i);
        });
    }

private:
    // Spins until the condition holds; false if it still does not after a while.
    template <class Condition>
    static bool spin(const Condition& condition) {
        for (int i = 0; i < 2000; ++i) {
            if (condition()) return true;
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        }
        return false;
    }

    void help(int member) {
        std::uint64_t seen = 0;
        const auto called = [&] { return over_.load() || turn_.load(std::memory_order_acquire) != seen; };
        for (;;) {
            if (!spin(called)) {
                std::unique_lock lock(mutex_);
                begin_.wait(lock, called);
            }
            if (over_.load()) return;
            seen = turn_.load(std::memory_order_acquire);
            try {
                (*work_)(member);
            } catch (...) {
                const std::lock_guard lock(mutex_);
                failure_ = std::current_exception();
            }
            if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                const std::lock_guard lock(mutex_);  // the caller is either before its wait or in it
                end_.notify_one();
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable begin_, end_;
    const std::function<void(int)>* work_ = nullptr;
    std::atomic<std::uint64_t> turn_{0};
    std::atomic<int> busy_{0};
    std::atomic<bool> over_{false};
    std::exception_ptr failure_;
    std::vector<std::thread> helpers_;
};

// A task is shared if each thread gets at least this many histogram updates, some ten microseconds of work.
constexpr std::int64_t least_work_per_thread = 1 << 14;

inline bool is_shared(const Team* team, std::int64_t work) {
    return team && team->size() > 1 && work >= least_work_per_thread * team->size();
}

}  // namespace rankforest
