import { keyLine, type Recipe } from './recipe';

/** Variable that Zed derives from the name of the provider. */
const VARIABLE = 'TOLLGATE_API_KEY';

export const zed: Recipe = {
  id: 'zed',
  label: 'Zed',
  language: 'json',
  needs: ['default-config'],
  file: 'settings.json',
  render: (
    values,
  ) => `// settings.json; the key is entered in the settings of the agent, or read from ${VARIABLE}.${keyLine('//', VARIABLE, values)}
${JSON.stringify(
  {
    language_models: {
      openai_compatible: {
        Tollgate: {
          api_url: `${values.base}/v1`,
          available_models: [{ name: values.model, max_tokens: 128_000 }],
        },
      },
    },
  },
  null,
  2,
)}`,
};
