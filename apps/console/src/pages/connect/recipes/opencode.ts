import { headersOf, KEY_VARIABLE, type Recipe } from './recipe';

export const openCode: Recipe = {
  id: 'opencode',
  label: 'OpenCode',
  language: 'json',
  needs: [],
  file: 'opencode.json',
  render: (values) =>
    JSON.stringify(
      {
        $schema: 'https://opencode.ai/config.json',
        provider: {
          tollgate: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Tollgate',
            options: {
              baseURL: `${values.base}/v1`,
              apiKey: values.key ?? `{env:${KEY_VARIABLE}}`,
              headers: headersOf(values),
            },
            models: { [values.model]: {} },
          },
        },
        model: `tollgate/${values.model}`,
      },
      null,
      2,
    ),
};
