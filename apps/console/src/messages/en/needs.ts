import { plural } from '../plural';

export const needs = {
  title: 'Needs you',
  none: 'Nothing needs you',
  part: 'Looked at the first 100 keys and providers.',
  failing: (provider: string) =>
    provider === '' ? 'Providers that requests name fail' : `@${provider} fails`,
  failingText: (errors: number, requests: number) =>
    `${plural(errors, { one: 'error', other: 'errors' })} in ${plural(requests, { one: 'request', other: 'requests' })} of the last hour, more than usual.`,
  budget: (name: string, isExhausted: boolean, hasReset: boolean) => {
    if (isExhausted) return `${name} has used its budget`;
    return hasReset ? `${name} runs out before its reset` : `${name} runs out`;
  },
  exhausted: (hasReset: boolean) =>
    hasReset ? 'Requests are refused until the reset.' : 'Requests are refused.',
  expiring: (n: number) => `${plural(n, { one: 'key expires', other: 'keys expire' })} this week`,
  rotating: (n: number) => `${plural(n, { one: 'key gets', other: 'keys get' })} a new secret this week`,
  gateway: (id: string, isConnected: boolean) =>
    isConnected ? `Gateway ${id} has a warning` : `Gateway ${id} is not connected`,
  notConnected: 'It has not reported for a while: it answers with the settings that it had then.',
  acts: { failing: 'Why', budget: 'Open', expiring: 'Rotate', rotating: 'Open', gateway: 'Logs' },
  isNew: 'new',
  bell: (n: number) => (n === 0 ? 'Alerts' : `Alerts, ${String(n)} new`),
};
