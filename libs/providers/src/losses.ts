import { lossHeader, type Loss } from '@gw/dialects';
import { GatewayError } from '@gw/kernel';

/** Maximum members named in a record; for more it gives their number. */
const NAMED_MAX = 50;

/**
 * Collects members that a target's provider does not support. By `drop_unsupported` they are
 * refused, or dropped and recorded.
 */
export class DroppedParams {
  private readonly params: string[] = [];
  private readonly losses: Loss[] = [];
  private count = 0;

  constructor(readonly drops: boolean) {}

  /**
   * Drops a member without which the response still fits the request. Throws `validation_failed`
   * when dropping is off. `message` is a sentence that says what the provider does not support.
   */
  leaveOut(param: string, message: string): void {
    if (!this.drops)
      throw unsupported(param, `${message} Remove the parameter, or set drop_unsupported in the config.`);
    this.note({ path: param, code: 'dropped' });
  }

  /** Records a member that was left out, or changed without changing the response much, whether dropping is on or off. */
  note(loss: Loss): void {
    this.count += 1;
    if (this.params.length >= NAMED_MAX) return;
    this.params.push(loss.path);
    this.losses.push(loss);
  }

  /** Returns the value of `x-gw-translation-loss`; null when nothing was lost. */
  header(): string | null {
    return lossHeader(this.losses, this.count - this.losses.length);
  }

  /**
   * Returns the dropped paths of the client's body, for the decision record; null when nothing was
   * dropped.
   */
  dropped(): readonly string[] | null {
    if (this.count === 0) return null;
    const more = this.count - this.params.length;
    return more === 0 ? this.params : [...this.params, `and ${String(more)} more`];
  }
}

/**
 * Returns a 400 for a member that a provider does not support, with its path in the caller's body.
 */
export const unsupported = (param: string, message: string): GatewayError =>
  new GatewayError('validation_failed', { message, param, details: [{ path: param, message }] });
