import type { Severity } from './text-signs';

/** Something in the definition of a capability that an administrator should see. */
export interface Finding {
  /** Stable name of the rule, such as `secret_path`. */
  readonly rule: string;
  readonly severity: Severity;
}
