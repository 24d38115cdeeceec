import type { JsonObject } from '../call';

/** Takes the lifecycle events of a response as its output is built. */
export interface OutputSink {
  event(type: string, members: JsonObject): void;
  /**
   * `head` and `tail` are JSON text around the delta: `"item_id":"msg_1","delta":` and
   * `,"logprobs":[]`.
   */
  delta(type: string, head: string, text: string, tail: string): void;
}

/** Ignores the events, for a response that is not streamed. */
export const NO_SINK: OutputSink = { event: () => undefined, delta: () => undefined };

/** Writes events as text of an event stream, numbered from 0. */
export class SseSink implements OutputSink {
  private text = '';
  private sequence = 0;

  event(type: string, members: JsonObject): void {
    const data = JSON.stringify({ type, sequence_number: this.next(), ...members });
    this.text += `event: ${type}\ndata: ${data}\n\n`;
  }

  delta(type: string, head: string, text: string, tail: string): void {
    const number = String(this.next());
    this.text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${number},${head}${JSON.stringify(text)}${tail}}\n\n`;
  }

  /** Writes text between events, such as a comment. */
  raw(text: string): void {
    this.text += text;
  }

  taken(): string {
    const { text } = this;
    this.text = '';
    return text;
  }

  private next(): number {
    const { sequence } = this;
    this.sequence += 1;
    return sequence;
  }
}
