// A thread that stops at every question until somebody has answered it.
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "interrupt.hpp"

namespace rankforest {

template <class Question, class Answer>
class Exchange {
public:
    Exchange() = default;
    Exchange(const Exchange&) = delete;
    ~Exchange() { stop(); }

    // Runs `work` in a thread of its own; it calls ask().
    void start(std::function<void()> work) {
        stop();
        over_ = stopped_ = false;
        failure_ = nullptr;
        question_.reset();
        answer_.reset();
        thread_ = std::thread([this, work = std::move(work)] {
            std::exception_ptr failure;
            try {
                work();
            } catch (const Interrupted&) {  // by stop()
            } catch (...) { failure = std::current_exception(); }
            const std::lock_guard lock(mutex_);
            failure_ = failure;
            over_ = true;
            changed_.notify_all();
        });
    }

    // ---- in the thread
    Answer ask(Question question) {
        std::unique_lock lock(mutex_);
        question_ = std::move(question);
        changed_.notify_all();
        changed_.wait(lock, [&] { return answer_ || stopped_; });
        if (stopped_) throw Interrupted();
        Answer answer = std::move(*answer_);
        answer_.reset();
        return answer;
    }

    // ---- outside
    // The next question; none if the work is done. Rethrows what the work has thrown.
    std::optional<Question> next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return question_ || over_; });
        if (question_) {
            std::optional<Question> question = std::move(question_);
            question_.reset();
            return question;
        }
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        return std::nullopt;
    }
    void give(Answer answer) {
        const std::lock_guard lock(mutex_);
        answer_ = std::move(answer);
        changed_.notify_all();
    }
    // Ends the work at its question.
    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
            changed_.notify_all();
        }
        if (thread_.joinable()) thread_.join();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Question> question_;
    std::optional<Answer> answer_;
    bool over_ = true, stopped_ = false;
    std::exception_ptr failure_;
    std::thread thread_;
};

}  // namespace rankforest
