import { GatewayError } from '@gw/kernel';

/** Where a gateway's log records go. Both drivers, HTTP and Redis stream, pass one contract test. */
export interface LogSink {
  /** Takes `count` whole frames. Resolves once they are safe with the receiver; rejects when they must be sent again. */
  send(batch: Buffer, count: number): Promise<void>;
}

/** An HTTP POST that resolves with the answer's status once its body is read; rejects when there was no answer in time. */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
) => Promise<{ readonly status: number }>;

export interface HttpLogSinkOptions {
  /** URL of the worker's route for frames. */
  readonly url: string;
  readonly serviceToken: string;
  /** Its provider bounds its time. */
  readonly post: Post;
}

/** Sends frames to a worker, which answers after its commit. */
export function httpLogSink({ url, serviceToken, post }: HttpLogSinkOptions): LogSink {
  const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/octet-stream' };
  return {
    send: async (batch) => {
      const { status } = await post(url, headers, batch);
      if (status !== 200) {
        throw new GatewayError('unavailable', {
          message: `The worker answered ${String(status)} to log records.`,
        });
      }
    },
  };
}
