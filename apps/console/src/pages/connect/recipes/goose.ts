import { headersOf, shellKey, shellWord, type Recipe } from './recipe';

export const goose: Recipe = {
  id: 'goose',
  label: 'Goose',
  language: 'shell',
  needs: [],
  render: (values) => {
    const headers = Object.entries(headersOf(values)).map(([name, value]) => `${name}=${value}`);
    return [
      'export GOOSE_PROVIDER="openai"',
      `export GOOSE_MODEL=${shellWord(values.model)}`,
      `export OPENAI_HOST="${values.base}"`,
      'export OPENAI_BASE_PATH="v1/chat/completions"',
      `export OPENAI_API_KEY="${shellKey(values)}"`,
      ...(headers.length === 0 ? [] : [`export OPENAI_CUSTOM_HEADERS="${headers.join(',')}"`]),
      'goose session',
    ].join('\n');
  },
};
