// A few threads that work on one tree: they wait between the pieces of work instead of being started for each.
#pragma once
#include <algorithm>
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
    // The calling thread is a member. Where the system starts no more threads, the team is smaller.
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
            over_ = true;
        }
        begin_.notify_all();
        for (auto& helper : helpers_) helper.join();
    }

    int size() const { return static_cast<int>(helpers_.size()) + 1; }

    // work(member) for every member, the caller included; returns when all are done.
    void run(const std::function<void(int)>& work) {
        {
            const std::lock_guard lock(mutex_);
            work_ = &work;
            busy_ = static_cast<int>(helpers_.size());
            failure_ = nullptr;
            ++turn_;
        }
        begin_.notify_all();
        std::exception_ptr own;
        try {
            work(0);
        } catch (...) { own = std::current_exception(); }
        std::unique_lock lock(mutex_);
        end_.wait(lock, [&] { return busy_ == 0; });
        if (own) std::rethrow_exception(own);
        if (failure_) std::rethrow_exception(failure_);
    }

    // work(member, first, last) on equal parts of begin .. end.
    void share(std::int64_t begin, std::int64_t end, const std::function<void(int, std::int64_t, std::int64_t)>& work) {
        const std::int64_t n = size(), rows = end - begin;
        run([&](int member) { work(member, begin + rows * member / n, begin + rows * (member + 1) / n); });
    }

private:
    void help(int member) {
        std::uint64_t seen = 0;
        std::unique_lock lock(mutex_);
        for (;;) {
            begin_.wait(lock, [&] { return over_ || turn_ != seen; });
            if (over_) return;
            seen = turn_;
            const auto* work = work_;
            lock.unlock();
            std::exception_ptr failure;
            try {
                (*work)(member);
            } catch (...) { failure = std::current_exception(); }
            lock.lock();
            if (failure) failure_ = failure;
            if (--busy_ == 0) end_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable begin_, end_;
    const std::function<void(int)>* work_ = nullptr;
    std::uint64_t turn_ = 0;
    int busy_ = 0;
    bool over_ = false;
    std::exception_ptr failure_;
    std::vector<std::thread> helpers_;
};

}  // namespace rankforest
