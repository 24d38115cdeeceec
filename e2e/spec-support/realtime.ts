import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@gw/testing';
import { WebSocket, WebSocketServer } from 'ws';

/**
 * Starts a realtime provider that sends one response of `tokens` output tokens to each client
 * message.
 */
export async function startRealtimeProvider(
  tokens: number,
): Promise<{ readonly origin: string; stop(): Promise<void> }> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  const usage = {
    ...{ total_tokens: tokens, input_tokens: 0, output_tokens: tokens },
    output_token_details: { text_tokens: tokens, audio_tokens: 0 },
  };
  const done = JSON.stringify({ type: 'response.done', response: { status: 'completed', usage } });
  sockets.on('connection', (socket) => {
    socket.on('error', () => undefined).on('message', () => socket.send(done));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client's session with the provider `@voice`. */
export class RealtimeSession {
  /** Received messages. */
  messages = 0;
  /** Close code; null while the session is open. */
  closeCode: number | null = null;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', () => (this.messages += 1));
    socket.on('close', (code) => (this.closeCode = code));
    socket.on('error', () => undefined);
  }

  /** Opens a session; returns the response status if the handshake is refused. */
  static open(baseUrl: string, apiKey: string): Promise<RealtimeSession | number> {
    const headers = { 'x-gw-api-key': apiKey, 'x-gw-provider': '@voice' };
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/realtime?model=gpt-realtime`, { headers });
    const session = new RealtimeSession(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(session));
      socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
      socket.once('error', reject);
    });
  }

  /** Resolves when one more response has arrived. */
  async respond(): Promise<void> {
    const due = this.messages + 1;
    this.socket.send(JSON.stringify({ type: 'response.create' }));
    await eventually(() => this.messages >= due);
  }
}
