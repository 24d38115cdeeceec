import { headersOf, KEY_VARIABLE, type Recipe } from './recipe';

export const continueDev: Recipe = {
  id: 'continue',
  label: 'Continue',
  language: 'yaml',
  needs: [],
  file: 'config.yaml',
  render: (values) => {
    const headers = Object.entries(headersOf(values)).map(
      ([name, value]) => `        ${name}: ${JSON.stringify(value)}`,
    );
    return `# ~/.continue/config.yaml
name: Tollgate
version: 1.0.0
schema: v1
models:
  - name: ${JSON.stringify(values.model)}
    provider: openai
    model: ${JSON.stringify(values.model)}
    apiBase: "${values.base}/v1"
    apiKey: ${JSON.stringify(values.key ?? `\${{ secrets.${KEY_VARIABLE} }}`)}${headers.length === 0 ? '' : `\n    requestOptions:\n      headers:\n${headers.join('\n')}`}
    roles: [chat, edit, apply]`;
  },
};
