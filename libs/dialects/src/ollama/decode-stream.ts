import type { JsonObject } from '../call';
import type { ProviderContext } from '../codec';
import { readFault } from '../errors/read-fault';
import { argumentsText } from '../openai-chat/decode-response';
import { BROKEN_STREAM, NdjsonDecoder } from '../stream/decoder-base';
import { asObject, asString, isAbsent, objectsOf } from '../values/json';
import { createdOf, readFinish, readLogprobs, readToolCall, readUsage } from './response-reader';

/** Reads the lines of `/api/chat`. The line with `done` completes the response. */
export class OllamaStreamDecoder extends NdjsonDecoder {
  private plain: { readonly kind: 'text' | 'reasoning'; readonly block: number } | null = null;
  private calls = 0;

  constructor(private readonly context: ProviderContext) {
    super();
  }

  protected override onEvent(line: JsonObject): void {
    if (!isAbsent(line['error'])) {
      this.out.fail(readFault('error-string', 200, {}, line));
      return;
    }
    const { requestId, target } = this.context;
    this.out.start(requestId, asString(line['model']) ?? target.model, createdOf(line, this.context));
    this.message(asObject(line['message']) ?? {});
    const items = readLogprobs(line['logprobs']) ?? [];
    if (items.length > 0) this.out.push({ t: 'logprobs', c: 0, i: this.plain?.block ?? 0, items });
    if (line['done'] === true) this.finish(line);
  }

  private message(message: JsonObject): void {
    this.text('reasoning', asString(message['thinking']) ?? '');
    this.text('text', asString(message['content']) ?? '');
    for (const call of objectsOf(message['tool_calls'])) this.call(call);
  }

  private text(kind: 'text' | 'reasoning', text: string): void {
    if (text === '') return;
    if (this.plain?.kind !== kind) {
      this.closePlain();
      this.plain = { kind, block: this.out.open(0, { kind, text: '' }) };
    }
    this.out.text(0, this.plain.block, text);
  }

  private closePlain(): void {
    if (this.plain !== null) this.out.close(this.plain.block);
    this.plain = null;
  }

  /** Writes a tool call, which arrives in one piece. */
  private call(call: JsonObject): void {
    this.closePlain();
    const args = argumentsText(asObject(call['function'])?.['arguments']);
    if (args === null) {
      this.out.fail(BROKEN_STREAM);
      return;
    }
    const block = this.out.open(0, readToolCall(call, this.context, this.calls));
    this.calls += 1;
    this.out.args(0, block, args);
    this.out.close(block);
  }

  private finish(line: JsonObject): void {
    const finish = readFinish(line['done_reason'], this.calls > 0);
    if (finish.reason === 'error' && !this.out.hasBlocks) {
      this.out.fail(BROKEN_STREAM);
      return;
    }
    this.out.finish(0, finish);
    const usage = readUsage(line);
    if (usage !== undefined) this.out.push({ t: 'usage', usage });
    this.out.done();
  }
}
