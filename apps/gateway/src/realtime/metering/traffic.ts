import type { Usage } from '@gw/contracts';
import { NO_USAGE } from '../../usage/use';

/** Bytes per text token in all estimates: English has about four, code and other scripts three. */
const TEXT_BYTES = 3;
/**
 * Bytes per audio token in the most compact format (G.711 in base64): user audio has a token per
 * 100 ms, model audio one per 50 ms.
 */
const INPUT_SOUND_BYTES = 1_000;
const OUTPUT_SOUND_BYTES = 500;

/** Counts the bytes of both directions since the provider last reported usage. */
export class Traffic {
  private inputText = 0;
  private inputSound = 0;
  private outputText = 0;
  private outputSound = 0;

  addInput(bytes: number, isSound: boolean): void {
    if (isSound) this.inputSound += bytes;
    else this.inputText += bytes;
  }

  addOutput(text: number, sound: number): void {
    this.outputText += text;
    this.outputSound += sound;
  }

  get hasOutput(): boolean {
    return this.outputText > 0 || this.outputSound > 0;
  }

  get outputTokens(): number {
    return Math.ceil(this.outputText / TEXT_BYTES) + Math.ceil(this.outputSound / OUTPUT_SOUND_BYTES);
  }

  clearInput(): void {
    this.inputText = this.inputSound = 0;
  }

  clear(): void {
    this.clearInput();
    this.outputText = this.outputSound = 0;
  }

  /** Estimates the usage; `context` is the number of tokens in the conversation before. */
  estimate(context: number, withOutput = true): Usage {
    const inputAudioTokens = Math.ceil(this.inputSound / INPUT_SOUND_BYTES);
    const inputTokens = context + Math.ceil(this.inputText / TEXT_BYTES) + inputAudioTokens;
    if (!withOutput) return { ...NO_USAGE, inputTokens, inputAudioTokens };
    const outputAudioTokens = Math.ceil(this.outputSound / OUTPUT_SOUND_BYTES);
    return { ...NO_USAGE, inputTokens, inputAudioTokens, outputTokens: this.outputTokens, outputAudioTokens };
  }
}
