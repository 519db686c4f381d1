// Tasks that lead to further tasks, shared between threads.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "interrupt.hpp"

namespace rankforest {

// Every thread makes a worker of its own, takes the oldest open task, and adds the tasks that run(task, worker)
// returns.
template <class Task, class MakeWorker, class Run>
void run_tasks(std::deque<Task> open, int n_threads, StopFlag& stop, const SignalCheck& signalled,
               const MakeWorker& make_worker, const Run& run) {
    std::mutex mutex;
    std::condition_variable changed;
    int busy = 0;
    run_workers(n_threads, stop, signalled, [&](int) {
        auto worker = make_worker();
        std::unique_lock lock(mutex);
        for (;;) {
            while (!changed.wait_for(lock, std::chrono::milliseconds(50),
                                     [&] { return !open.empty() || busy == 0 || stop.raised(); })) {}
            stop.check();
            if (open.empty()) break;  // no thread is busy either: nothing is left to do
            Task task = std::move(open.front());
            open.pop_front();
            ++busy;
            lock.unlock();
            try {
                auto more = run(task, worker);
                lock.lock();
                for (auto& next : more) open.push_back(std::move(next));
            } catch (...) {
                lock.lock();
                --busy;
                stop.raise();
                changed.notify_all();
                throw;
            }
            --busy;
            changed.notify_all();
        }
    });
}

}  // namespace rankforest
