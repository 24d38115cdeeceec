import { GatewayError } from '@gw/kernel';

/** Members that a record names; of more it says how many. */
const NAMED_MAX = 50;

/** What the provider of a target cannot be sent: refused, or left out and remembered, as `drop_unsupported` says. */
export class Losses {
  private readonly params: string[] = [];
  private count = 0;

  constructor(private readonly drops: boolean) {}

  /**
   * For members without which the answer is still an answer to the request. Throws `validation_failed` unless they are dropped.
   * `message`: what the provider does not take, as a sentence.
   */
  leaveOut(param: string, message: string): void {
    if (!this.drops)
      throw unsupported(param, `${message} Leave it out, or set drop_unsupported in the config.`);
    this.count += 1;
    if (this.params.length < NAMED_MAX) this.params.push(param);
  }

  /** Paths in the client's body, for the decision record; null: nothing was left out. */
  dropped(): readonly string[] | null {
    if (this.count === 0) return null;
    const more = this.count - this.params.length;
    return more === 0 ? this.params : [...this.params, `and ${String(more)} more`];
  }
}

/** A 400 for what a provider cannot express, naming the field in the caller's own body. */
export const unsupported = (param: string, message: string): GatewayError =>
  new GatewayError('validation_failed', { message, param, details: [{ path: param, message }] });
