import { greeting, headersOf, shellKey, shellText, type Recipe } from './recipe';

export const curl: Recipe = {
  id: 'curl',
  label: 'curl',
  language: 'shell',
  needs: [],
  render: (values) => {
    const headers = Object.entries(headersOf(values)).map(([name, value]) => `-H "${name}: ${value}"`);
    const body = JSON.stringify(values.body ?? { model: values.model, messages: greeting });
    return [
      `curl ${values.base}/v1/chat/completions`,
      `-H "x-gw-api-key: ${shellKey(values)}"`,
      ...headers,
      '-H "content-type: application/json"',
      `-d ${shellText(body)}`,
    ].join(' \\\n  ');
  },
};
