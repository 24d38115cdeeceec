import { bareModel, capabilitiesOf } from './capabilities';

const SONNET = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

describe('capabilitiesOf', () => {
  it.each(['us', 'eu', 'apac', 'jp', 'au', 'ca', 'global', 'us-gov'])(
    'finds a model of Bedrock by its profile for %s',
    (region) => {
      expect(bareModel(`${region}.${SONNET}`)).toBe('claude-sonnet-4-5-20250929-v1:0');
      expect(capabilitiesOf(`${region}.${SONNET}`).reasoning).toBe('budget');
    },
  );

  it.each(['claude-opus-4-9', 'claude-sonnet-4-8', 'claude-haiku-5'])(
    'counts %s as a newer model',
    (model) => {
      expect(capabilitiesOf(model)).toMatchObject({
        reasoning: 'adaptive',
        jsonSchema: true,
        prefill: false,
      });
    },
  );

  it.each([
    'claude-opus-4',
    'claude-opus-4-0',
    'claude-sonnet-4@20250514',
    'anthropic.claude-sonnet-4-20250514-v1:0',
  ])('counts %s as one of the first models of its number', (model) => {
    expect(capabilitiesOf(model)).toMatchObject({ reasoning: 'budget', jsonSchema: false, prefill: true });
  });
});
