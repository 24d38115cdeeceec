import { shellKey, shellWord, type Recipe } from './recipe';

export const geminiCli: Recipe = {
  id: 'gemini-cli',
  label: 'Gemini CLI',
  language: 'shell',
  needs: ['gemini', 'default-config'],
  render: (values) => `export GOOGLE_GEMINI_BASE_URL="${values.base}"
export GEMINI_API_KEY="${shellKey(values)}"
export GEMINI_MODEL=${shellWord(values.model)}
gemini`,
};
