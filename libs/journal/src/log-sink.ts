import { GatewayError } from '@gw/kernel';

/**
 * Receiver of a gateway's log records. The same contract test covers both implementations, HTTP and
 * Redis stream.
 */
export interface LogSink {
  /**
   * Sends `count` complete frames. Resolves once the receiver has stored them; rejects if they must
   * be sent again.
   */
  send(batch: Buffer, count: number): Promise<void>;
}

/**
 * Sends an HTTP POST. Resolves with the status once the response body is read; rejects if no
 * response arrives in time.
 */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
) => Promise<{ readonly status: number }>;

export interface HttpLogSinkOptions {
  /** URL of the worker's route for frames. */
  readonly url: string;
  readonly serviceToken: string;
  /** Sends the requests, and must limit their time. */
  readonly post: Post;
}

/** Returns a sink that sends frames to a worker, which responds after its commit. */
export function httpLogSink({ url, serviceToken, post }: HttpLogSinkOptions): LogSink {
  const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/octet-stream' };
  return {
    send: async (batch) => {
      const { status } = await post(url, headers, batch);
      if (status !== 200) {
        throw new GatewayError('unavailable', {
          message: `The worker responded with ${String(status)} to log records.`,
        });
      }
    },
  };
}
