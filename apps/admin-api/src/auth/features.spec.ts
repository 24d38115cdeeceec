import { readSettings } from '@gw/kernel';
import { readCases } from '@gw/testing';
import { FEATURE_SETTINGS } from '../settings';
import { assertEnabled, FEATURE_ROUTES } from './features';

const settingsWith = (environment: Record<string, string>) => readSettings(FEATURE_SETTINGS, environment);

describe('the switches of features', () => {
  it.each(Object.entries(FEATURE_ROUTES))(
    '[ENV-07] %s is on until OFF closes its routes, and no others',
    (name, routes) => {
      const on = settingsWith({});
      const off = settingsWith({ [name]: 'OFF' });
      for (const route of routes) {
        for (const path of [`/v1/${route}`, `/v2/${route}/:id`]) {
          expect(() => {
            assertEnabled(path, on);
          }).not.toThrow();
          const type = name === 'SCIM_ENABLED' ? 'not_found' : 'feature_disabled';
          expect(() => {
            assertEnabled(path, off);
          }).toThrow(expect.objectContaining({ type }) as Error);
        }
      }
      for (const path of ['/v1/configs', '/v1/logs', '/v1/policies-of-mine', '/health']) {
        expect(() => {
          assertEnabled(path, off);
        }).not.toThrow();
      }
    },
  );

  it('leave a feature on for every word but OFF, in any case, and refuse what is no switch', () => {
    for (const word of ['ON', 'true', 'false', '0', 'no']) {
      expect(settingsWith({ GUARDRAILS_ENABLED: word }).GUARDRAILS_ENABLED).toBe(true);
    }
    for (const word of ['OFF', 'off']) {
      expect(settingsWith({ GUARDRAILS_ENABLED: word }).GUARDRAILS_ENABLED).toBe(false);
    }
    expect(() => settingsWith({ GUARDRAILS_ENABLED: 'perhaps' })).toThrow('GUARDRAILS_ENABLED');
  });

  interface Row {
    readonly id: string;
    readonly endpoint: string;
    readonly body: Readonly<Record<string, string>>;
    readonly expect: 'accept' | 'reject' | 'either';
    readonly reason: string;
  }
  const { cases } = readCases('policies.json') as { readonly cases: readonly Row[] };

  it.each(cases.filter(({ endpoint }) => endpoint === 'env GUARDRAILS_ENABLED'))(
    '$id: $expect $reason',
    ({ body, expect: verdict }) => {
      const isOff = /^off$/i.test(body['GUARDRAILS_ENABLED'] ?? '');
      const enabled = settingsWith(body).GUARDRAILS_ENABLED;
      if (verdict === 'accept') expect(enabled).toBe(!isOff);
      else expect(typeof enabled).toBe('boolean');
    },
  );
});
