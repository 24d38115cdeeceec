import type { PushRules } from '@gw/a2a';
import { isTrustedHost, type AddressPolicy } from '@gw/kernel';

/** Returns the rules for the address of a notification. */
export type PushRulesOf = (url: unknown) => PushRules;

/**
 * Creates the rules for addresses of notifications. Plain HTTP is allowed only for hosts that the
 * operator trusts.
 */
export const pushRules =
  (policy: AddressPolicy, publicUrl: string | null, trustedHosts: readonly string[]): PushRulesOf =>
  (url) => ({
    policy,
    ownUrls: publicUrl === null ? [] : [publicUrl],
    allowsHttp:
      typeof url === 'string' && URL.canParse(url) && isTrustedHost(trustedHosts, new URL(url).hostname),
  });
