import { readSettings } from '@gw/kernel';
import { readCases } from '@gw/testing';
import { FEATURE_SETTINGS } from '../../settings';
import { assertEnabled, FEATURE_ROUTES } from './features';

const settingsWith = (environment: Record<string, string>) => readSettings(FEATURE_SETTINGS, environment);

describe('feature switches', () => {
  it.each(Object.entries(FEATURE_ROUTES))(
    '[ENV-07] %s is on by default, and OFF closes its routes and no others',
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

  it.each(Object.keys(FEATURE_SETTINGS))(
    '%s accepts words for true and false in any case, and refuses all others',
    (name) => {
      for (const word of ['ON', 'on', 'true', 'True', '1', 'yes', ''])
        expect([word, Reflect.get(settingsWith({ [name]: word }), name)]).toEqual([word, true]);
      for (const word of ['OFF', 'off', 'false', 'FALSE', '0', 'no'])
        expect([word, Reflect.get(settingsWith({ [name]: word }), name)]).toEqual([word, false]);
      for (const word of ['perhaps', 'disabled', '2', 'of'])
        expect(() => settingsWith({ [name]: word })).toThrow(`${name} must be true or false`);
    },
  );

  interface Row {
    readonly id: string;
    readonly endpoint: string;
    readonly body: Readonly<Record<string, string>>;
    readonly expect: 'accept' | 'reject' | 'either';
    readonly reason: string;
  }
  const { cases } = readCases('policies.json') as { readonly cases: readonly Row[] };

  /**
   * The case pol-155 expects that `false` leaves the feature on. By decision 0037, `false` turns it
   * off.
   */
  const OFF_BY_DECISION: ReadonlySet<string> = new Set(['pol-155']);

  it.each(cases.filter(({ endpoint }) => endpoint === 'env GUARDRAILS_ENABLED'))(
    '$id: $expect $reason',
    ({ id, body, expect: verdict }) => {
      const isOff = OFF_BY_DECISION.has(id) || /^off$/i.test(body['GUARDRAILS_ENABLED'] ?? '');
      const enabled = settingsWith(body).GUARDRAILS_ENABLED;
      if (verdict === 'accept') expect(enabled).toBe(!isOff);
      else expect(typeof enabled).toBe('boolean');
    },
  );
});
