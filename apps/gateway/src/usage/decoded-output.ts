import type { Usage } from '@gw/contracts';
import { streamDecoder, type Coding } from '@gw/outbound';
import type { BatchOutputMeter } from './batch-output';
import type { BatchOutput } from './use';

/**
 * Maximum number of concurrent decoders, which use windows of up to 16 MiB. Outputs are requested
 * without a coding, so few need one.
 */
const DECODERS_MAX = 8;
/**
 * Maximum number of bytes that wait for a decoder, and that a decoder may return; the rest is not
 * read.
 */
const WAITING_BYTES_MAX = 8 * 1_048_576;
const DECODED_BYTES_MAX = 1_024 * 1_048_576;
let activeDecoders = 0;

/**
 * Decodes a batch's output while it is forwarded. An output that arrives while all decoders are in
 * use is not read.
 */
export class DecodedOutput {
  private readonly decoder: ReturnType<typeof streamDecoder> | null;
  private readonly done: Promise<void>;

  constructor(
    private readonly meter: BatchOutputMeter,
    coding: Coding,
  ) {
    this.decoder = activeDecoders < DECODERS_MAX ? streamDecoder(coding) : null;
    const { decoder } = this;
    if (decoder === null) {
      this.done = Promise.resolve();
      return;
    }
    activeDecoders += 1;
    this.done = new Promise((resolve) => {
      let left = DECODED_BYTES_MAX;
      decoder.on('data', (chunk: Buffer) => {
        left -= chunk.length;
        if (left < 0) decoder.destroy();
        else meter.write(chunk);
      });
      // The usage of lines decoded before an error counts.
      decoder.once('error', resolve);
      decoder.once('close', resolve);
    }).then(() => {
      activeDecoders -= 1;
    });
  }

  write(chunk: Buffer): void {
    const { decoder } = this;
    if (decoder === null || decoder.destroyed) return;
    if (decoder.writableLength + chunk.length > WAITING_BYTES_MAX) decoder.destroy();
    else decoder.write(chunk);
  }

  usage(): Usage | null {
    return this.meter.usage();
  }

  model(): string | null {
    return this.meter.model();
  }

  output(): BatchOutput | null {
    return this.meter.output();
  }

  /** Never rejects. */
  async prepare(): Promise<void> {
    this.decoder?.end();
    await this.done;
  }
}
