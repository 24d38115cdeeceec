import type { McpAuthType } from '@gw/contracts';
import type { ErrorDetail } from '@gw/kernel';
import { checkSwitch } from './configuration-checks';
import {
  Faults,
  type CheckedIntegration,
  type ConfigurationCheck,
  type Fields,
} from './configuration-faults';
import { checkForwarded, checkHeaders, checkPassthrough } from './header-checks';

/** Checks of the members of `configurations` that every kind of integration accepts. */
export const COMMON_CHECKS: Readonly<Record<string, ConfigurationCheck>> = {
  headers: checkHeaders,
  passthrough_headers: checkPassthrough,
  passthrough_acknowledged: checkSwitch,
  forward_headers: checkForwarded,
};

/** Allowed members of `configurations` of one kind of integration. */
export interface ConfigurationRules {
  readonly checks: Readonly<Record<string, ConfigurationCheck>>;
  /** Member that contains the secret of each authentication type; null for none. */
  readonly memberOf: Readonly<Record<McpAuthType, string | null>>;
  /** Members that their authentication type requires. */
  readonly required: readonly string[];
  /** Checks that concern several members, in addition to those of all kinds. */
  readonly checkTogether?: (values: Fields, faults: Faults, of: CheckedIntegration) => void;
  /** Reason why a member known from other products is refused, by member. */
  readonly unenforced: Readonly<Record<string, string>>;
  /** Headers of the protocol that only the gateway sets; see `sentHeaderFault`. */
  readonly protocolHeaders: ReadonlySet<string>;
}

/** Path of the configurations in requests. */
export const ROOT = 'configurations';

/** Returns the faults of `configurations`, with their paths; at most 100. */
export function configurationFaultsOf(
  rules: ConfigurationRules,
  values: Fields,
  of: CheckedIntegration,
): readonly ErrorDetail[] {
  const { checks, unenforced, protocolHeaders } = rules;
  const faults = new Faults();
  const knownNames = Object.keys(checks).join(', ');
  for (const [name, value] of Object.entries(values)) {
    const path = `${ROOT}.${name.slice(0, 64)}`;
    const check = own(checks, name);
    if (check) check(value, path, faults, { ...of, protocolHeaders });
    else faults.add(path, own(unenforced, name) ?? `is unknown; send only ${knownNames}`);
  }
  checkSecretMembers(rules, values, of.authType, faults);
  if (of.authType === 'headers' && [...Object.keys(values['headers'] ?? {}), ...of.mapped].length === 0)
    faults.add(`${ROOT}.headers`, 'is required with auth_type headers; send a header, or use auth_type none');
  rules.checkTogether?.(values, faults, of);
  const passed = values['passthrough_headers'];
  if (Array.isArray(passed) && passed.length > 0 && values['passthrough_acknowledged'] !== true)
    faults.add(
      `${ROOT}.passthrough_acknowledged`,
      'must be true: with passthrough_headers, the server receives what callers send in these headers',
    );
  return faults.found.slice(0, 100);
}

/** Returns the member if the object has it itself, because callers choose the names. */
const own = <T>(members: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined;

/** Checks that a secret of another authentication type is absent, and the required one present. */
function checkSecretMembers(
  { memberOf, required }: ConfigurationRules,
  values: Fields,
  authType: McpAuthType,
  faults: Faults,
): void {
  const ownMember = memberOf[authType];
  for (const name of Object.values(memberOf))
    if (name !== null && name !== ownMember && values[name] !== undefined)
      faults.add(`${ROOT}.${name}`, `is not used with auth_type ${authType}; remove it`);
  if (ownMember !== null && required.includes(ownMember) && values[ownMember] === undefined)
    faults.add(`${ROOT}.${ownMember}`, `is required with auth_type ${authType}`);
}
