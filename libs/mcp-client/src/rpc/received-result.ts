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
 * The result of a call. `type` and `isError` are available immediately; the rest is parsed when it
 * is read.
 */
export interface ReceivedResult {
  /** `resultType`; `complete` if the result has none. */
  readonly type: string;
  /** Whether the result reports that the tool failed. */
  readonly isError: boolean;
  /** The parsed result. Throws `protocol` when it is not valid JSON. */
  readonly value: JsonObject;
  /** Size of the received message in bytes; 0 for a result that the gateway created. */
  readonly bytes: number;
  /** HTTP status of the response. */
  readonly status: number;
  /** False for a result that explains why nothing was sent. */
  readonly wasSent: boolean;
  /** Numbers that `JSON.stringify` would change; null if there are none. */
  readonly numbers: ExactNumbers | null;
  /**
   * The received response; null for a result that the gateway created, and for one that had to be
   * parsed.
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

/** Returns a parsed result, or one that the gateway created. */
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

/** A result that stays in the bytes of its response. */
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

/**
 * Returns the result of a scanned response; null if its `resultType` is not a plain string, so that
 * it must be decoded.
 */
export function scannedResult(scanned: ScannedResponse): ScannedResult | null {
  const type = scannedType(scanned);
  return type === null ? null : new ScannedResult(scanned, type);
}
