import { lexer, type Token, type Tokens } from 'marked';
import { Fragment, useMemo, type ReactElement, type ReactNode } from 'react';
import { uiText } from '../../messages/en/ui';
import { Icon } from '../icons/icon';

/** Maximum length of a text that is rendered as Markdown; longer texts are shown as plain text. */
const READ_MAX = 200_000;
/**
 * A run of characters without a space so long that the parser, which takes quadratic time for some
 * of them, would block the page.
 */
const LONG_RUN = /\S{2000}/;
/** Maximum rendered nesting; deeper parts are shown as text. */
const DEPTH_MAX = 24;
const LINK = /^(?:https?:|mailto:)/i;

/**
 * Renders Markdown of a model. HTML is shown as text, images are never loaded, and links to web and
 * mail addresses open in a new tab without a referrer.
 */
export function Markdown({ text }: { readonly text: string }): ReactElement {
  const tokens = useMemo(() => tokensOf(text), [text]);
  if (tokens === null) return <p className="markdown markdown-plain">{text}</p>;
  return <div className="markdown">{blocks(tokens, 0)}</div>;
}

/** Parses Markdown; null when the text is too long or cannot be parsed. */
function tokensOf(text: string): readonly Token[] | null {
  if (text.length > READ_MAX || LONG_RUN.test(text)) return null;
  try {
    return lexer(text, { gfm: true });
  } catch {
    return null;
  }
}

const blocks = (tokens: readonly Token[], depth: number): ReactNode =>
  tokens.map((token, at) => <Fragment key={at}>{drawn(token, depth + 1)}</Fragment>);

type Draw = (token: never, depth: number) => ReactNode;

const DRAW: Readonly<Record<string, Draw>> = {
  space: () => null,
  br: () => <br />,
  hr: () => <hr />,
  heading: (token: Tokens.Heading, depth) => (
    <p className="markdown-heading">{blocks(token.tokens, depth)}</p>
  ),
  paragraph: (token: Tokens.Paragraph, depth) => <p>{blocks(token.tokens, depth)}</p>,
  blockquote: (token: Tokens.Blockquote, depth) => <blockquote>{blocks(token.tokens, depth)}</blockquote>,
  code: (token: Tokens.Code) => <pre className="code-well">{token.text}</pre>,
  codespan: (token: Tokens.Codespan) => <code>{token.text}</code>,
  strong: (token: Tokens.Strong, depth) => <strong>{blocks(token.tokens, depth)}</strong>,
  em: (token: Tokens.Em, depth) => <em>{blocks(token.tokens, depth)}</em>,
  del: (token: Tokens.Del, depth) => <del>{blocks(token.tokens, depth)}</del>,
  text: (token: Tokens.Text, depth) =>
    token.tokens === undefined ? token.text : blocks(token.tokens, depth),
  escape: (token: Tokens.Escape) => token.text,
  checkbox: (token: Tokens.Checkbox) => (token.checked ? '☑ ' : '☐ '),
  list: (token: Tokens.List, depth) => {
    const items = token.items.map((item, at) => <li key={at}>{blocks(item.tokens, depth)}</li>);
    return token.ordered ? <ol start={token.start === '' ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>;
  },
  table: (token: Tokens.Table, depth) => (
    <table>
      <thead>
        <tr>
          {token.header.map((cell, at) => (
            <th key={at}>{blocks(cell.tokens, depth)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column}>{blocks(cell.tokens, depth)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  ),
  link: (token: Tokens.Link, depth) =>
    LINK.test(token.href) ? (
      <a href={token.href} title={token.href} target="_blank" rel="noopener noreferrer nofollow">
        {blocks(token.tokens, depth)}
      </a>
    ) : (
      token.raw
    ),
  image: (token: Tokens.Image) => (
    <span className="markdown-image" title={token.href.slice(0, 300)}>
      <Icon name="image" size={14} /> {uiText.body.image(token.text)}
    </span>
  ),
};

/** Renders a token. Unsupported tokens, HTML above all, are shown as text. */
function drawn(token: Token, depth: number): ReactNode {
  const draw = depth > DEPTH_MAX ? undefined : DRAW[token.type];
  return draw === undefined ? token.raw : draw(token as never, depth);
}
