// Interrupting long computations with Ctrl-C. Workers poll a flag; only the calling thread talks to Python.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace rankforest {

struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

// Called by the calling thread while it waits; true if the user pressed Ctrl-C.
using SignalCheck = std::function<bool()>;

class StopFlag {
public:
    void raise() { stopped_.store(true, std::memory_order_relaxed); }
    bool raised() const { return stopped_.load(std::memory_order_relaxed); }
    void check() const {
        if (asks_) ask();
        if (raised()) throw Interrupted();
    }

    // If the calling thread does all the work itself, check() calls `signalled` ten times a second.
    void asks(const SignalCheck* signalled) { asks_ = signalled; }

private:
    void ask() const {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return;
        next_ = now + std::chrono::milliseconds(100);
        if ((*asks_)()) stopped_.store(true, std::memory_order_relaxed);
    }

    mutable std::atomic<bool> stopped_{false};
    const SignalCheck* asks_ = nullptr;
    mutable std::chrono::steady_clock::time_point next_{};
};

// Runs work(worker) on n_threads new threads and waits, checking for Ctrl-C ten times a second. Threads are started and
// joined here: none outlives the call, so a later fork is safe. If the system refuses to start all threads (limits on
// threads or memory), those that run do the work; if it starts none, the caller does.
inline void run_workers(int n_threads, StopFlag& stop, const SignalCheck& signalled,
                        const std::function<void(int)>& work) {
    std::mutex mutex;
    std::condition_variable finished;
    int running = 0;
    std::exception_ptr failure;
    std::vector<std::thread> threads;
    threads.reserve(n_threads);
    const auto worker = [&](int t) {
        std::exception_ptr error;
        try {
            work(t);
        } catch (...) {
            error = std::current_exception();
            stop.raise();
        }
        const std::lock_guard lock(mutex);
        // the first real exception takes precedence over the Interrupted exceptions that it causes
        if (error) {
            bool interrupted = false;
            try {
                std::rethrow_exception(error);
            } catch (const Interrupted&) { interrupted = true; } catch (...) {
            }
            if (!failure || !interrupted) failure = error;
        }
        if (--running == 0) finished.notify_one();
    };
    for (int t = 0; t < n_threads; ++t) {
        {
            const std::lock_guard lock(mutex);
            ++running;
        }
        try {
            threads.emplace_back(worker, t);
        } catch (const std::exception&) {  // no thread, or no memory for its data
            const std::lock_guard lock(mutex);
            --running;
            break;
        }
    }
    if (threads.empty()) {
        stop.asks(signalled ? &signalled : nullptr);
        running = 1;
        worker(0);
        stop.asks(nullptr);
    }
    {
        std::unique_lock lock(mutex);
        while (!finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
            lock.unlock();
            if (signalled && signalled()) stop.raise();
            lock.lock();
        }
    }
    for (auto& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

// Calls task(i, worker) for i = 0 .. n-1; each i is taken by the next free worker.
inline void parallel_for(std::int64_t n, int n_threads, StopFlag& stop, const SignalCheck& signalled,
                         const std::function<void(std::int64_t, int)>& task) {
    std::atomic<std::int64_t> next{0};
    run_workers(static_cast<int>(std::min<std::int64_t>(std::max(n_threads, 1), std::max<std::int64_t>(n, 1))), stop,
                signalled, [&](int worker) {
                    for (std::int64_t i; (i = next.fetch_add(1)) < n;) {
                        stop.check();
                        task(i, worker);
                    }
                });
}

}  // namespace rankforest
