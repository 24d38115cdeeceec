import type { Usage } from '@gw/contracts';
import { NO_USAGE } from '../../usage/use';

/** That of all estimates: English text has four bytes to a token, code and other scripts three. */
const TEXT_BYTES = 3;
/** Sound of a user is a token for 100 ms, that of a model one for 50 ms; of the narrowest format (G.711 in base64) these are so many bytes. */
const INPUT_SOUND_BYTES = 1_000;
const OUTPUT_SOUND_BYTES = 500;

/** Bytes that have passed since a provider last reported its use. */
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

  forgetInput(): void {
    this.inputText = this.inputSound = 0;
  }

  forget(): void {
    this.forgetInput();
    this.outputText = this.outputSound = 0;
  }

  /** `context`: tokens that were in the conversation before. */
  estimate(context: number, withOutput = true): Usage {
    const inputAudioTokens = Math.ceil(this.inputSound / INPUT_SOUND_BYTES);
    const inputTokens = context + Math.ceil(this.inputText / TEXT_BYTES) + inputAudioTokens;
    if (!withOutput) return { ...NO_USAGE, inputTokens, inputAudioTokens };
    const outputAudioTokens = Math.ceil(this.outputSound / OUTPUT_SOUND_BYTES);
    return { ...NO_USAGE, inputTokens, inputAudioTokens, outputTokens: this.outputTokens, outputAudioTokens };
  }
}
