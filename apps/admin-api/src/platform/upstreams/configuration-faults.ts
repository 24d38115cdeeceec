import type { McpAuthType } from '@gw/contracts';
import { isObject, type ErrorDetail } from '@gw/kernel';

export type Fields = Readonly<Record<string, unknown>>;

/** Fields of the integration that the checks of `configurations` use. */
export interface CheckedIntegration {
  readonly authType: McpAuthType;
  readonly url: string;
  /** Targets of the secret mappings. */
  readonly mapped: ReadonlySet<string>;
  /** Whether the integration sends an authorization header. */
  readonly sendsAuthorization: boolean;
  /** Whether the installation has a public URL, which is the issuer of signed tokens. */
  readonly hasIssuer: boolean;
}

/** Fields of the integration and of its kind that the check of one member uses. */
export interface CheckContext extends CheckedIntegration {
  /** Headers of the protocol that only the gateway sets; see `sentHeaderFault`. */
  readonly protocolHeaders: ReadonlySet<string>;
}

/** Checks the value of one member of `configurations`. */
export type ConfigurationCheck = (value: unknown, path: string, faults: Faults, of: CheckContext) => void;

/** Collects faults with their paths. */
export class Faults {
  readonly found: ErrorDetail[] = [];

  add(path: string, message: string | null): void {
    if (message !== null) this.found.push({ path, message });
  }

  /** Whether the value is an object with known members only. */
  object(value: unknown, path: string, known: readonly string[]): value is Fields {
    if (!isObject(value)) {
      this.add(path, 'must be an object');
      return false;
    }
    for (const name of Object.keys(value).filter((each) => !known.includes(each)))
      this.add(`${path}.${name.slice(0, 64)}`, `is unknown; send only ${known.join(', ')}`);
    return true;
  }

  text(value: unknown, path: string, max: number): void {
    if (typeof value !== 'string' || value === '') this.add(path, 'must be a non-empty text');
    else if (value.length > max) this.add(path, `must have at most ${String(max)} characters`);
  }

  optionalText(value: unknown, path: string, max: number): void {
    if (value !== undefined && value !== null) this.text(value, path, max);
  }
}
