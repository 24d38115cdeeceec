import type { JsonObject, RequestId } from '@gw/mcp';
import type { HolderEvent, ReaderEvent } from '../parked/line-events';

/** A client responded to a request of the receiver at another gateway. */
export interface AnswerMessage {
  readonly kind: 'answer';
  /** Names the request at the receiver. */
  readonly request: string;
  /** Caller and session of the response. */
  readonly owner: string;
  /** Null: the client refused. */
  readonly result: JsonObject | null;
  /** The gateway that wants to know that the answer arrived; absent in messages of older gateways. */
  readonly from?: string;
}

/** The sender has an answer of the receiver, whatever it does with it. */
export interface AnswerTakenMessage {
  readonly kind: 'answer_taken';
  readonly request: string;
}

/** A modern client continues a call of the receiver at another gateway, which reads it from now on. */
export interface RedeemMessage {
  readonly kind: 'redeem';
  /** The gateway that reads. */
  readonly from: string;
  /** Names the reading, for the messages that follow. */
  readonly line: string;
  /** The parked call. */
  readonly call: string;
  /** `principalBinding` of the caller. */
  readonly principal: string;
  /** Responses to the requests of the pause, by their keys. */
  readonly responses: Readonly<Record<string, JsonObject>>;
}

/** From the gateway with a call to the one that reads it. */
export interface HolderMessage {
  readonly kind: 'of_holder';
  readonly line: string;
  readonly event: HolderEvent;
}

/** From the gateway that reads a call to the one with it. */
export interface ReaderMessage {
  readonly kind: 'of_reader';
  readonly line: string;
  readonly event: ReaderEvent;
}

/** Another gateway has the stream of a session now. */
export interface StreamTakenMessage {
  readonly kind: 'stream_taken';
  readonly session: string;
  /** The lease that is over. */
  readonly token: string;
}

/** A client follows the stream of a call of the receiver at another gateway. */
export interface FollowMessage {
  readonly kind: 'follow';
  readonly from: string;
  readonly stream: string;
}

/** The sender makes the call of a stream that the receiver follows. */
export interface FollowedMessage {
  readonly kind: 'followed';
  readonly stream: string;
}

/** To all gateways: a client cancelled a call that is not at the sender. */
export interface CancelMessage {
  readonly kind: 'cancel';
  readonly session: string;
  readonly requestId: RequestId;
}

/** To all gateways: what a client set in its session has changed. */
export interface SessionChangedMessage {
  readonly kind: 'session_changed';
  readonly session: string;
}

/** A client of the transport HTTP+SSE sent a message for a stream of the receiver to another gateway, which authenticated it. */
export interface PostedMessage {
  readonly kind: 'posted';
  readonly stream: string;
  /** Caller and address of the message. */
  readonly owner: string;
  readonly body: string;
}

/** Message of a gateway to another one, or to all. */
export type ReplicaMessage =
  | AnswerMessage
  | AnswerTakenMessage
  | RedeemMessage
  | HolderMessage
  | ReaderMessage
  | StreamTakenMessage
  | PostedMessage
  | FollowMessage
  | FollowedMessage
  | CancelMessage
  | SessionChangedMessage;
