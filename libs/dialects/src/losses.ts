import {
  GatewayError,
  truncated,
  type ErrorDetail,
  type Loss,
  type LossCode,
  type LossMode,
} from '@gw/kernel';

/** Maximum number of recorded losses of one call; further ones are only counted. */
const LOSSES_MAX = 100;
/**
 * Maximum number of characters of a recorded path, because members of a client's body may have any
 * name.
 */
const PATH_MAX = 256;
/** Maximum number of refused paths that an error names. */
const REFUSALS_MAX = 20;
/** Maximum bytes of `x-gw-translation-loss`. */
const HEADER_MAX = 1_024;

/** Names the provider and model of a call in an error. */
export interface LossTarget {
  readonly provider: string;
  readonly model: string;
}

/**
 * Collects the features of a call that one target cannot express. Parameters that change the
 * response are refused, or dropped in `adapt`; hints are dropped; content and contracts are always
 * refused. `check` throws for all refusals together.
 */
export class LossLedger {
  private readonly kept: Loss[] = [];
  private readonly refusals: ErrorDetail[] = [];
  private refused = 0;
  private count = 0;

  constructor(
    readonly mode: LossMode,
    private readonly target: LossTarget,
  ) {}

  /**
   * Records a parameter that changes the response. In `strict` the call is refused; in `adapt` the
   * loss is recorded. Returns whether the encoder continues without it (`adapt`).
   */
  parameter(path: string, message: string, code: LossCode = 'dropped', to?: string): boolean {
    if (this.mode === 'strict') {
      this.refuse(path, `${message} Remove it, or set translation.loss to adapt on the target.`);
      return false;
    }
    this.note(path, code, to);
    return true;
  }

  /**
   * Records a hint without which the response still fits the request, or an equivalent that differs
   * slightly. It is never refused.
   */
  note(path: string, code: LossCode = 'dropped', to?: string): void {
    this.count += 1;
    if (this.kept.length >= LOSSES_MAX) return;
    const named = path.length > PATH_MAX ? `${truncated(path, PATH_MAX - 1)}…` : path;
    this.kept.push(to === undefined ? { path: named, code } : { path: named, code, to });
  }

  /**
   * Records content or a contract that the target cannot express. The call is refused in every
   * mode.
   */
  refuse(path: string, message: string): void {
    this.refused += 1;
    if (this.refusals.length < REFUSALS_MAX) this.refusals.push({ path, message });
  }

  /** Throws `unsupported_by_provider` when something was refused; `param` is the first path. */
  check(): void {
    if (this.isRefused) throw unsupported(this.target, this.refusals);
  }

  /** Whether the call will be refused. */
  get isRefused(): boolean {
    return this.refusals.length > 0;
  }

  get losses(): readonly Loss[] {
    return this.kept;
  }

  /** Number of losses that were not recorded. */
  get more(): number {
    return this.count - this.kept.length;
  }
}

/** Returns the value of `x-gw-translation-loss`, at most 1 KiB; null when nothing was lost. */
export function lossHeader(losses: readonly Loss[], more = 0): string | null {
  if (losses.length === 0) return null;
  let header = '';
  for (const [index, loss] of losses.entries()) {
    const entry = `${headerName(loss.path)}=${loss.code}${loss.to === undefined ? '' : `;to=${quoted(loss.to)}`}`;
    const rest = losses.length - index + more;
    const joined = header === '' ? entry : `${header}, ${entry}`;
    if (joined.length + `, more=${String(rest)}`.length > HEADER_MAX) {
      return header === '' ? `more=${String(rest)}` : `${header}, more=${String(rest)}`;
    }
    header = joined;
  }
  return more === 0 ? header : `${header}, more=${String(more)}`;
}

/**
 * Returns a path for the header. Members of a client's body may have any name, so characters that
 * could end the line or the entry become `?`.
 */
const headerName = (path: string): string => path.replace(/[^\x21-\x7e]|[",;=]/g, '?');

/** Returns a quoted string of HTTP: only printable ASCII; other characters become `?`. */
const quoted = (text: string): string =>
  `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, (found) => `\\${found}`)}"`;

/** Returns the error for features that a target cannot express; `paths` must not be empty. */
export const unsupported = (
  { provider, model }: LossTarget,
  refusals: readonly ErrorDetail[],
): GatewayError =>
  new GatewayError('unsupported_by_provider', {
    ...(refusals[0] === undefined ? {} : { message: refusals[0].message, param: refusals[0].path }),
    details: refusals,
    extra: { provider, model },
  });

/** Returns the error for a body that breaks the client's own dialect. */
export const invalid = (path: string, message: string): GatewayError =>
  new GatewayError('validation_failed', { message, param: path, details: [{ path, message }] });
