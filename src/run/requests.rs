//! Sends the requests of the TUI to the daemon, in the order in which they were made.

use tokio::sync::mpsc;

use super::{
    connection::{Current, disconnected},
    launch::Unanswered,
};
use crate::{
    app::msg::Msg,
    client::{Client, launch},
    model::failure::Failure,
    protocol::message::{Reply, Request},
};

/// Capacity of the queue of requests.
const WAITING: usize = 1024;

/// Takes requests. One task sends them in order, and each answer is awaited separately.
pub struct Requests {
    current: Current,
    waiting: mpsc::Sender<SentRequest>,
    answers: mpsc::Sender<Msg>,
}

struct SentRequest {
    ticket: u64,
    /// The connection at the time of the request. `None` = there was none.
    client: Option<Client>,
    request: Request,
}

impl Requests {
    /// Starts the task that sends requests. Every answer goes to `answers`.
    pub fn begin(current: Current, answers: mpsc::Sender<Msg>) -> Self {
        let (waiting, asked) = mpsc::channel(WAITING);
        let sender = RequestSender {
            current: current.clone(),
            answers: answers.clone(),
            unanswered: Unanswered::default(),
        };
        tokio::spawn(sender.put_all(asked));
        Self {
            current,
            waiting,
            answers,
        }
    }

    /// Never waits: the loop that calls this is also what receives the answers.
    pub fn ask(&self, ticket: u64, request: Request) {
        let question = SentRequest {
            ticket,
            client: self.current.borrow().clone(),
            request,
        };
        if self.waiting.try_send(question).is_err() {
            let answers = self.answers.clone();
            let result = Err(too_many());
            tokio::spawn(async move { answers.send(Msg::Answer { ticket, result }).await });
        }
    }
}

fn too_many() -> Failure {
    let text = tr!(
        "too many requests are waiting for the daemon (max: {most})",
        most = WAITING
    );
    Failure::lost(text).hint(tr!("try again when it responds"))
}

#[derive(Clone)]
struct RequestSender {
    current: Current,
    answers: mpsc::Sender<Msg>,
    unanswered: Unanswered,
}

impl RequestSender {
    async fn put_all(self, mut asked: mpsc::Receiver<SentRequest>) {
        while let Some(question) = asked.recv().await {
            self.put(question).await;
        }
    }

    /// Returns when the request is queued in the connection.
    async fn put(&self, question: SentRequest) {
        let SentRequest {
            ticket,
            client,
            request,
        } = question;
        let Some(client) = client else {
            self.answer(ticket, async { Err(disconnected()) });
            return;
        };
        match request {
            Request::Launch { context, launch } => {
                let launch = self.unanswered.keyed(context, *launch);
                let put = client.put(launch::request(context, &launch)).await;
                let (unanswered, current) = (self.unanswered.clone(), self.current.clone());
                self.answer(
                    ticket,
                    unanswered.follow(client, put, current, context, launch),
                );
            }
            request => {
                let put = client.put(request).await;
                self.answer(ticket, async move { put?.answer().await });
            }
        }
    }

    fn answer(
        &self,
        ticket: u64,
        result: impl Future<Output = Result<Reply, Failure>> + Send + 'static,
    ) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let result = result.await;
            let _ = answers.send(Msg::Answer { ticket, result }).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use tokio::{net::UnixStream, sync::watch};

    use super::*;
    use crate::{
        client::simulated::SimulatedDaemon,
        model::{
            id::{SessionId, SessionKey},
            request::SessionRequest,
        },
    };

    const MANY: u64 = 900;

    fn question(number: u64) -> Request {
        Request::session(
            SessionKey::local(SessionId::from_u128(number.into())),
            SessionRequest::History,
        )
    }

    /// A daemon that answers nothing. Returns the requests that it received.
    async fn received(socket: UnixStream) -> Vec<Request> {
        let mut daemon = SimulatedDaemon::accept(socket).await;
        let mut requests = Vec::new();
        while requests.len() < MANY as usize {
            requests.push(daemon.request().await.1);
        }
        requests
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn requests_reach_the_daemon_in_the_order_in_which_they_were_asked() {
        let (mine, its) = UnixStream::pair().unwrap();
        let daemon = tokio::spawn(received(its));
        let (_current_in, current) = watch::channel(Some(Client::over(mine).await.0));
        let (answers_in, _answers) = mpsc::channel(1);
        let questions = Requests::begin(current, answers_in);
        for number in 0..MANY {
            questions.ask(number, question(number));
        }
        let asked: Vec<Request> = (0..MANY).map(question).collect();
        assert!(daemon.await.unwrap() == asked, "they overtook each other");
    }

    #[tokio::test]
    async fn without_a_connection_the_answer_says_so() {
        let (_current_in, current) = watch::channel(None);
        let (answers_in, mut answers) = mpsc::channel(1);
        let questions = Requests::begin(current, answers_in);
        questions.ask(7, Request::Status);
        let Some(Msg::Answer { ticket: 7, result }) = answers.recv().await else {
            panic!("no answer");
        };
        assert_eq!(result.unwrap_err(), disconnected());
    }
}
