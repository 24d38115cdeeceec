import { shellKey, type Recipe } from './recipe';

export const cursor: Recipe = {
  id: 'cursor',
  label: 'Cursor',
  language: 'text',
  needs: ['default-config', 'public-address'],
  render: (values) => `Settings → Models
OpenAI API key: ${shellKey(values)}
Override OpenAI base URL: ${values.base}/v1
Add model: ${values.model}`,
};
