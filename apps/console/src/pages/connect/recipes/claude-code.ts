import { headersOf, shellKey, shellWord, type Recipe } from './recipe';

export const claudeCode: Recipe = {
  id: 'claude-code',
  label: 'Claude Code',
  language: 'shell',
  needs: ['messages'],
  render: (values) => {
    const headers = Object.entries(headersOf(values)).map(([name, value]) => `${name}: ${value}`);
    return [
      `export ANTHROPIC_BASE_URL="${values.base}"`,
      `export ANTHROPIC_AUTH_TOKEN="${shellKey(values)}"`,
      ...(headers.length === 0 ? [] : [`export ANTHROPIC_CUSTOM_HEADERS="${headers.join('\n')}"`]),
      `export ANTHROPIC_MODEL=${shellWord(values.model)}`,
      'claude',
    ].join('\n');
  },
};
