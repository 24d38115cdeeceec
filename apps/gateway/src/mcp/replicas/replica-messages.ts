import type { JsonObject, RequestId } from '@gw/mcp';
import type { HolderEvent, ReaderEvent } from '../parked/line-events';

/** A client has answered a request of the receiver at the sender. */
export interface AnswerMessage {
  readonly kind: 'answer';
  /** Id of the request at the receiver. */
  readonly request: string;
  /** Caller and session of the response. */
  readonly owner: string;
  /** Null when the client refused. */
  readonly result: JsonObject | null;
  /** The gateway that expects an `answer_taken` message; absent in messages of older gateways. */
  readonly from?: string;
}

/**
 * The sender confirms an answer that the receiver has delivered, whether or not a request still
 * waited for it.
 */
export interface AnswerTakenMessage {
  readonly kind: 'answer_taken';
  readonly request: string;
}

/**
 * A modern client continues a call of the receiver at the sender, which reads the call from now on.
 */
export interface RedeemMessage {
  readonly kind: 'redeem';
  /** The gateway that reads the call. */
  readonly from: string;
  /** Random id that links the following messages about the call. */
  readonly line: string;
  /** Id of the parked call. */
  readonly call: string;
  /** `principalBinding` of the caller. */
  readonly principal: string;
  /** The client's responses, keyed like the requests of the parked call. */
  readonly responses: Readonly<Record<string, JsonObject>>;
}

/** A message from the gateway that holds a call to the one that reads it. */
export interface HolderMessage {
  readonly kind: 'of_holder';
  readonly line: string;
  readonly event: HolderEvent;
}

/** A message from the gateway that reads a call to the one that holds it. */
export interface ReaderMessage {
  readonly kind: 'of_reader';
  readonly line: string;
  readonly event: ReaderEvent;
}

/** The sender has taken over the stream of a session from the receiver. */
export interface StreamTakenMessage {
  readonly kind: 'stream_taken';
  readonly session: string;
  /** Token of the receiver's lease, which has ended. */
  readonly token: string;
}

/** Heartbeat: a client at the sender follows the stream of a call that the receiver runs. */
export interface FollowMessage {
  readonly kind: 'follow';
  readonly from: string;
  readonly stream: string;
}

/** Reply to a `follow` message: the sender runs the call of the stream. */
export interface FollowedMessage {
  readonly kind: 'followed';
  readonly stream: string;
}

/** Broadcast: a client cancelled a call that the sender does not run. */
export interface CancelMessage {
  readonly kind: 'cancel';
  readonly session: string;
  readonly requestId: RequestId;
}

/** Broadcast: the settings of a session have changed. */
export interface SessionChangedMessage {
  readonly kind: 'session_changed';
  readonly session: string;
}

/**
 * A client of the HTTP+SSE transport posted a message for a stream of the receiver to the sender,
 * which has authenticated the client.
 */
export interface PostedMessage {
  readonly kind: 'posted';
  readonly stream: string;
  /** Caller and address of the message. */
  readonly owner: string;
  readonly body: string;
}

/** A message from one gateway to another, or to all. */
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
