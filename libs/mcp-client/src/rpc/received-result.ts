import type { ExactNumbers } from '@gw/kernel';
import {
  decodeUpstream,
  McpFault,
  own,
  scannedIsError,
  scannedType,
  type JsonObject,
  type RpcMessage,
  type RpcResponse,
  type ScannedResponse,
} from '@gw/mcp';
import { protocolError } from '../upstream-error';

/**
 * The result of a call. What it says about itself is known at once; the rest is parsed when it is
 * read.
 */
export interface ReceivedResult {
  /** `resultType`; `complete` without one. */
  readonly type: string;
  /** Whether the result says that the tool failed. */
  readonly isError: boolean;
  /** The parsed result. Throws `protocol` when it is not valid JSON. */
  readonly value: JsonObject;
  /** Bytes of the message that it came in; 0 for a result that was made here. */
  readonly bytes: number;
  /** HTTP status of the response. */
  readonly status: number;
  /** False for a result that says why nothing was sent. */
  readonly wasSent: boolean;
  /** Numbers that change when the value is written again; null: none. */
  readonly numbers: ExactNumbers | null;
  /**
   * The response as it was received; null for a result that was made here, or that was parsed to be
   * read at all.
   */
  readonly scanned: ScannedResponse | null;
}

export interface DecodedMessage {
  readonly message: RpcMessage;
  readonly numbers: ExactNumbers | null;
}

/** Decodes a message. Throws `protocol`. */
export function decoded(data: Buffer): DecodedMessage {
  try {
    return decodeUpstream(data);
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    throw protocolError('The upstream sent a message that is not valid.', { cause: error });
  }
}

/** Facts about a result in addition to its value. */
type ResultFacts = Pick<ReceivedResult, 'bytes' | 'status' | 'wasSent'>;

/** A result that was parsed, or made here. */
export const parsedResult = (
  value: JsonObject,
  numbers: ExactNumbers | null,
  { bytes = 0, status = 200, wasSent = true }: Partial<ResultFacts> = {},
): ReceivedResult => {
  const type = own(value, 'resultType') ?? 'complete';
  return {
    ...{ value, numbers, bytes, status, wasSent, scanned: null, isError: own(value, 'isError') === true },
    type: typeof type === 'string' ? type : '',
  };
};

/** A result in the bytes of its response. */
export class ScannedResult implements ReceivedResult {
  readonly status = 200;
  readonly wasSent = true;
  readonly isError: boolean;
  private parsed: DecodedMessage | null = null;

  constructor(
    readonly scanned: ScannedResponse,
    readonly type: string,
  ) {
    this.isError = scannedIsError(scanned);
  }

  get bytes(): number {
    return this.scanned.body.length;
  }

  get value(): JsonObject {
    return (this.whole.message as RpcResponse).result ?? {};
  }

  get numbers(): ExactNumbers | null {
    return this.whole.numbers;
  }

  private get whole(): DecodedMessage {
    return (this.parsed ??= decoded(this.scanned.body));
  }
}

/** Null for a response whose type of result is not plain; decode it. */
export function scannedResult(scanned: ScannedResponse): ScannedResult | null {
  const type = scannedType(scanned);
  return type === null ? null : new ScannedResult(scanned, type);
}
