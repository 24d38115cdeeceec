import { ResponseTooLong, type GuardrailResponse, type GuardrailCall, type GuardrailPort } from '../port';

type Reply = (call: GuardrailCall) => GuardrailResponse | Promise<GuardrailResponse>;

/** Guardrail port for specs that records each call. Its clock moves only when `nowMs` is set. */
export class RecordingPort implements GuardrailPort {
  readonly calls: GuardrailCall[] = [];
  /** Host names that resolve. */
  readonly names = new Set<string>();
  nowMs = Date.UTC(2026, 10, 21);

  constructor(private readonly reply: Reply = () => Promise.reject(new Error('refused http://10.0.0.1/'))) {}

  async call(call: GuardrailCall): Promise<GuardrailResponse> {
    this.calls.push(call);
    const response = await this.reply(call);
    const { responseBytesMax } = call;
    if (response.body.byteLength > responseBytesMax)
      throw new ResponseTooLong(responseBytesMax, response.status);
    return response;
  }

  resolves(hostname: string): Promise<boolean> {
    return Promise.resolve(this.names.has(hostname));
  }

  now(): number {
    return this.nowMs;
  }

  elapsed(): number {
    return performance.now();
  }
}

export const json = (value: unknown, status = 200): GuardrailResponse => ({
  status,
  contentType: 'application/json',
  body: new TextEncoder().encode(JSON.stringify(value)),
});
