import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(__dirname, '..', '..', '..', 'docs', 'decisions');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const FILES = readdirSync(FOLDER).filter((name) => name !== 'README.md');

describe('docs/decisions/README.md', () => {
  it('lists every decision in order, with the number and the title of its file', () => {
    const rows = [...read('README.md').matchAll(/^\| \[(\d{4})\]\(([^)]+)\) \| (.+?) \| .+ \|$/gm)];
    const titles = FILES.sort().map((name) => [name, read(name).split('\n', 1)[0] ?? '']);
    expect(rows.map(([, number = '', name, title = '']) => [name, `# ${number} ${title}`])).toEqual(titles);
  });
});
