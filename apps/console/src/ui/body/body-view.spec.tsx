import { fireEvent, screen } from '@testing-library/react';
import { renderUi } from '../spec-support/render-ui';
import { BodyView, Markdown, type LoggedBody } from '.';

const body = (part: Partial<LoggedBody>): LoggedBody => ({
  content_type: 'application/json',
  bytes: 1200,
  truncated: false,
  encoding: 'json',
  body: {},
  ...part,
});

beforeEach(() => {
  URL.createObjectURL = jest.fn(() => 'blob:x');
  URL.revokeObjectURL = jest.fn();
});

describe('Markdown', () => {
  it('renders headings, emphasis, lists, code and tables', () => {
    const { container } = renderUi(
      <Markdown
        text={'# T\n\n**b** _i_ `c`\n\n- one\n- two\n\n```js\nx < y\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |'}
      />,
    );
    expect(
      [...container.querySelectorAll('strong, em, code, li, pre, td')].map((one) => one.textContent),
    ).toEqual(['b', 'i', 'c', 'one', 'two', 'x < y', '1', '2']);
  });

  it('shows HTML as text, loads no image, and links only to web and mail addresses', () => {
    const { container } = renderUi(
      <Markdown
        text={
          '<script>alert(1)</script>\n\nand <img src=x onerror=alert(1)> ![a](https://evil.example/p.png) [ok](https://example.com) [no](javascript:alert(1)) [mail](mailto:a@b.example)'
        }
      />,
    );
    expect(container.querySelector('script, img')).toBeNull();
    expect(container.textContent).toContain('<script>alert(1)</script>');
    expect(container.textContent).toContain('image, not loaded: a');
    const links = screen.getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      'https://example.com',
      'mailto:a@b.example',
    ]);
    expect(links[0]?.getAttribute('rel')).toContain('noreferrer');
  });

  it('does not parse a long text without spaces, which can take very long', () => {
    const { container } = renderUi(<Markdown text={`**a** ${'a.'.repeat(2_000)}@`} />);
    expect(container.querySelector('.markdown-plain')?.textContent).toContain('**a**');
  });

  it('renders deep nesting without an error', () => {
    renderUi(<Markdown text={`${'> '.repeat(500)}deep`} />);
    expect(document.body.textContent).toContain('deep');
  });
});

describe('BodyView', () => {
  it('shows a conversation with tool calls, reasoning and embedded media', () => {
    renderUi(
      <BodyView
        label="Request"
        route="chat.completions"
        as="conversation"
        body={body({
          body: {
            messages: [
              {
                role: 'user',
                content: [
                  { type: 'text', text: 'Hi' },
                  { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
                  { type: 'image_url', image_url: { url: 'https://evil.example/p.png' } },
                ],
              },
              {
                role: 'assistant',
                reasoning_content: 'Hm.',
                tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{"at":1}' } }],
              },
            ],
          },
        })}
      />,
    );
    expect(screen.getByRole('img').getAttribute('src')).toBe('blob:x');
    expect(screen.getByText('https://evil.example/p.png').tagName).toBe('CODE');
    expect(document.querySelectorAll('img')).toHaveLength(1);
    const tool = screen.getByRole('button', { name: /look/ });
    expect(screen.getByRole('tree', { name: 'look' }).textContent).toContain('"at": 1');
    fireEvent.click(tool);
    expect(screen.queryByRole('tree')).toBeNull();
    expect(document.querySelector('details')?.open).toBe(false);
  });

  it('never renders SVG, and reports truncated or missing bodies', () => {
    const { rerender } = renderUi(
      <BodyView
        label="Response"
        body={body({ encoding: 'base64', content_type: 'image/svg+xml', body: 'PHN2Zz4=', truncated: true })}
      />,
    );
    expect(document.querySelector('img')).toBeNull();
    expect(screen.getByText('Only the beginning of this body was kept.')).toBeTruthy();
    rerender(<BodyView label="Response" body={body({ encoding: null, body: null, content_type: null })} />);
    expect(screen.getByText('No body was logged.')).toBeTruthy();
    rerender(<BodyView label="Response" body={body({ encoding: 'base64', body: '%%%' })} />);
    expect(screen.getByText(/cannot be decoded/)).toBeTruthy();
    rerender(<BodyView label="Response" body={body({ encoding: 'utf8', body: 'a\nb' })} />);
    expect(screen.getByRole('region', { name: 'Response' }).textContent).toBe('1a2b');
  });

  it('replaces media by a note when the next body cannot be decoded', () => {
    const image = { encoding: 'base64' as const, content_type: 'image/png' };
    const { rerender } = renderUi(<BodyView label="Response" body={body({ ...image, body: 'iVBORw==' })} />);
    screen.getByRole('img');
    rerender(<BodyView label="Response" body={body({ ...image, body: '%%%' })} />);
    expect(screen.queryByRole('img')).toBeNull();
    screen.getByText(/cannot be decoded/);
  });

  it('shows the raw body when there is no conversation', () => {
    renderUi(
      <BodyView
        label="Response"
        route="chat.completions"
        as="conversation"
        side="response"
        body={body({ body: { error: { message: 'no' } } })}
      />,
    );
    expect(screen.getByRole('tree', { name: 'Response' }).textContent).toContain('"error"');
  });
});
