import { readSettings, type Setting } from '@gw/kernel';
import {
  createModelConfigs,
  modelConfigSettings,
  type ModelConfigAlarm,
  type ModelConfigReaders,
} from './model-configs';

const NO_FOLDER = 'must be the path of a folder that can be read';
/** A folder setting that does not read the disk: it refuses only `/nowhere`. */
const folder: Setting<string> = {
  fallback: undefined,
  parse: (path) => {
    if (path === '/nowhere') throw new Error(NO_FOLDER);
    return path;
  },
};

const ENVIRONMENT = {
  MODEL_CONFIGS_PROXY_FETCH_ENABLED: 'ON',
  MODEL_CONFIGS_PROXY_URL: 'https://configs.example.com/',
  MODEL_CONFIGS_PRICING_LOG_STORE_PATH: '/prices',
  MODEL_CONFIGS_CAPABILITIES_LOG_STORE_PATH: '/capabilities',
  MODEL_CONFIGS_CAPABILITIES_LOCAL_PATH: '/local-general',
  MODEL_CONFIGS_PRICING_LOCAL_PATH: '/local-pricing',
};
const GOOD = { m: { pay_as_you_go: { request_token: { price: 0.001 }, response_token: { price: 0.001 } } } };
const BAD = { m: { pay_as_you_go: { request_token: { price: 'free' } } } };

/** Creates sources that return the documents of `responses`, or reject with an Error among them. */
function sourcesWith(environment: Record<string, string> = ENVIRONMENT) {
  const responses: Record<keyof ModelConfigReaders, unknown> = { fetch: null, logStore: null, file: null };
  const requested: string[] = [];
  const alarms: ModelConfigAlarm[] = [];
  const reader = (name: keyof ModelConfigReaders) => (at: string) => {
    requested.push(`${name} ${at}`);
    const response = responses[name];
    return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
  };
  const time = { now: 0 };
  const configs = createModelConfigs({
    settings: readSettings(modelConfigSettings(folder), environment),
    readers: { fetch: reader('fetch'), logStore: reader('logStore'), file: reader('file') },
    alarm: (alarm) => alarms.push(alarm),
    clock: () => time.now,
  });
  return { responses, requested, alarms, time, configs };
}

describe('createModelConfigs [ENV-08]', () => {
  it('reads sources in order: memory for an hour, proxy service, log store, local files', async () => {
    const { responses, requested, configs, time } = sourcesWith();
    responses.file = GOOD;
    expect((await configs.load('openai'))?.models).toBe(1);
    expect(requested).toEqual([
      'fetch https://configs.example.com/pricing/openai',
      'logStore /prices/openai.json',
      'file /local-pricing/openai.json',
    ]);
    time.now = 3_599_999;
    await configs.load('openai');
    expect(requested).toHaveLength(3);
    responses.fetch = GOOD;
    time.now = 3_600_000;
    await configs.load('openai');
    expect(requested.slice(3)).toEqual(['fetch https://configs.example.com/pricing/openai']);
    responses.fetch = { m: { context: 5 } };
    expect(await configs.capabilities('openai')).toEqual({ m: { context: 5 } });
    expect(requested.at(-1)).toBe('fetch https://configs.example.com/general/openai');
  });

  it('reads the proxy only when it is enabled', async () => {
    const off = sourcesWith({ ...ENVIRONMENT, MODEL_CONFIGS_PROXY_FETCH_ENABLED: 'OFF' });
    await off.configs.load('openai');
    await off.configs.capabilities('openai');
    expect(off.requested).toEqual([
      'logStore /prices/openai.json',
      'file /local-pricing/openai.json',
      'logStore /capabilities/openai.json',
      'file /local-general/openai.json',
    ]);
    const none = sourcesWith({});
    expect(await none.configs.load('openai')).toBeNull();
    expect(none.configs.prices('openai')).toBeNull();
    expect(none.requested).toEqual([]);
  });

  it('throws at startup when settings conflict or a folder cannot be read [ENV-09]', () => {
    const { MODEL_CONFIGS_PROXY_URL: _none, ...withoutUrl } = ENVIRONMENT;
    expect(() => sourcesWith(withoutUrl)).toThrow(/^MODEL_CONFIGS_PROXY_URL is required with /);
    for (const name of Object.keys(ENVIRONMENT).filter((one) => one.endsWith('_PATH'))) {
      const nowhere = { ...ENVIRONMENT, [name]: '/nowhere' };
      expect(() => sourcesWith(nowhere)).toThrow(`${name} ${NO_FOLDER}`);
    }
  });

  it('keeps the last valid document when an invalid one arrives, raises an alarm, and reads again after a minute', async () => {
    const { responses, alarms, configs, time } = sourcesWith();
    responses.fetch = GOOD;
    await configs.load('openai');
    responses.fetch = BAD;
    responses.logStore = new Error('the bucket is gone');
    time.now = 3_600_000;
    expect((await configs.load('openai'))?.cardAt('m', 0)).not.toBeNull();
    expect(alarms.map(({ source, reason }) => [source, reason])).toEqual([
      ['proxy', 'm.pay_as_you_go.request_token.price must be a number from 0, in US cents'],
      ['log_store', 'the bucket is gone'],
    ]);
    expect(configs.faults()).toEqual(alarms);
    responses.fetch = { n: GOOD.m };
    time.now += 60_000;
    expect((await configs.load('openai'))?.cardAt('m', 0)).toBeNull();
    expect(configs.faults()).toEqual([]);
  });

  it('uses the next source when one is invalid, and returns null when none is valid', async () => {
    const { responses, configs } = sourcesWith();
    responses.fetch = BAD;
    responses.file = GOOD;
    expect((await configs.load('openai'))?.models).toBe(1);
    expect(configs.faults()).toMatchObject([{ kind: 'pricing', provider: 'openai', source: 'proxy' }]);
    responses.file = [];
    expect(await configs.load('groq')).toBeNull();
  });

  it('returns the old prices while it reads the new document once, so that no request waits', async () => {
    const { responses, requested, configs, time } = sourcesWith();
    responses.fetch = GOOD;
    expect(configs.prices('openai')).toBeUndefined();
    expect(configs.prices('openai')).toBeUndefined();
    await configs.load('openai');
    expect(requested).toHaveLength(1);
    time.now = 4_000_000;
    expect(configs.prices('openai')?.models).toBe(1);
    expect(configs.prices('openai')?.models).toBe(1);
    expect(requested).toHaveLength(2);
  });

  it.each(['../secrets', 'a/b', '', 'OPENAI', '.', 'x'.repeat(65), '%2e%2e'])(
    'reads no source for %p, which is not a provider name',
    async (provider) => {
      const { requested, configs } = sourcesWith();
      expect(await configs.load(provider)).toBeNull();
      expect(configs.prices(provider)).toBeNull();
      expect(requested).toEqual([]);
    },
  );
});
