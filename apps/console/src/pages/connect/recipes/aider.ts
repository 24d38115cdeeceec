import { shellKey, shellWord, type Recipe } from './recipe';

export const aider: Recipe = {
  id: 'aider',
  label: 'Aider',
  language: 'shell',
  needs: ['default-config'],
  render: (values) => `export OPENAI_API_BASE="${values.base}/v1"
export OPENAI_API_KEY="${shellKey(values)}"
aider --model ${shellWord(`openai/${values.model}`)}`,
};
