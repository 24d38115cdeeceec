/** How much a finding matters. `high` keeps a capability pending in every approval mode. */
export type Severity = 'info' | 'warn' | 'high';

/** A kind of text that a tool must not show to a model without review. */
export interface TextSign {
  readonly rule: string;
  readonly severity: Severity;
  /** Present when the pattern is searched in the original text instead of the folded text. */
  readonly raw?: true;
  readonly pattern: RegExp;
}

/**
 * Signs of hidden or hostile text in descriptions. Every pattern takes linear time: gaps are
 * bounded, and repetitions are not nested.
 */
export const TEXT_SIGNS: readonly TextSign[] = [
  {
    rule: 'hidden_characters',
    severity: 'high',
    raw: true,
    // Overrides of the writing direction, tags, and variation selectors beyond the usual sixteen.
    pattern: /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/u,
  },
  {
    rule: 'invisible_characters',
    severity: 'warn',
    raw: true,
    // Joiners are legitimate in emoji and in non-Latin scripts.
    pattern:
      /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0]|[\u0021-\u024f][\u200c\u200d]/u,
  },
  {
    rule: 'control_characters',
    severity: 'warn',
    raw: true,
    pattern: /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/,
  },
  {
    rule: 'instruction_override',
    severity: 'high',
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?]{0,40}\b(?:previous|prior|above|earlier|preceding|system|all other|other|your|safety)\b[^.!?]{0,20}\b(?:instructions?|prompts?|rules?|guidelines?|messages?|directions?|constraints?|tools?)\b/,
  },
  {
    rule: 'instruction_override',
    severity: 'high',
    pattern:
      /\b(?:ignoriere|vergiss|missachte|ignorez|oubliez|ignora|olvida|ignore)\b[^.!?]{0,40}\b(?:anweisungen|vorgaben|regeln|instructions|consignes|instrucciones|istruzioni|instrucoes)\b/,
  },
  {
    rule: 'instruction_tag',
    severity: 'high',
    pattern:
      /<\/?(?:important|system|instructions?|secret|hidden|admin|assistant|developer|critical|override|sys|prompt)\b[^>]{0,40}>|\[\/?(?:inst|system)\]|<\|[a-z_]{1,20}\|>|<<sys>>/,
  },
  {
    rule: 'role_marker',
    severity: 'high',
    raw: true,
    pattern:
      /(?:^|[\n.!?>"]\s{0,8})(?:SYSTEM|ASSISTANT|DEVELOPER)\s?(?:PROMPT|MESSAGE)?:|(?:^|\n)#{2,4} ?(?:System|Instruction)s?:?/,
  },
  {
    rule: 'role_marker',
    severity: 'high',
    pattern:
      /\b(?:forget everything|you are now|from now on,? you|act as (?:the )?(?:system|admin|root)|(?:admin|developer|god|jailbreak) mode)\b/,
  },
  {
    rule: 'role_marker',
    severity: 'warn',
    pattern: /"role"\s?:\s?"(?:system|developer|assistant)"|(?:^|\n)(?:system|assistant):/,
  },
  {
    rule: 'secret_path',
    severity: 'high',
    pattern:
      /~\/\.\w|\.ssh\b|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\.aws\/|\.kube\/config|\/etc\/(?:passwd|shadow|sudoers)|\.git-credentials|\.netrc\b|\.npmrc\b|\.pypirc\b|\.docker\/config|\.config\/gcloud|\bclaude_desktop_config|\.cursor\/mcp|\bmcp\.json\b|(?:^|[\s/"'`])\.env\b|\/proc\/self\/environ/,
  },
  {
    rule: 'hides_from_user',
    severity: 'high',
    pattern:
      /\b(?:do not|don't|never|without)\b[^.!?]{0,20}\b(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|show|showing|reveal|revealing|alert|alerting)\b[^.!?]{0,20}\b(?:user|users|human|anyone)\b|\b(?:silently|secretly|covertly)\b[^.!?]{0,40}\b(?:send|call|read|copy|upload|forward|add|pass|include)\b/,
  },
  {
    rule: 'asks_for_credential',
    severity: 'high',
    pattern:
      /\b(?:required?|parameter|argument|provide|enter|pass|supply|include|ask\w{0,3}|send)\b[^.!?]{0,40}\b(?:password|passphrase|api[ _-]?keys?|secret keys?|client secret|access[ _-]?tokens?|refresh[ _-]?tokens?|session cookies?|credit card|card number|cvv|ssn|social security|seed phrase|private key|credentials)\b/,
  },
  {
    rule: 'passes_private_text',
    severity: 'high',
    pattern:
      /\b(?:read|open|cat|load|fetch|retrieve|get|take)\b[^!?\n]{0,60}\b(?:files?|contents?|conversation|history|chat|environment variables|prompt|messages)\b[^!?\n]{0,40}\b(?:pass|include|put|send|append|provide|add|copy|insert)\b[^!?\n]{0,40}\b(?:argument|parameter|param|field|note|sidenote)\b/,
  },
  {
    rule: 'directs_calls',
    severity: 'warn',
    pattern:
      /\b(?:whenever|every time|each time)\b[^.!?]{0,60}\b(?:call|invoke|run|execute)\b|\balso (?:call|invoke|run)\b/,
  },
  {
    rule: 'claims_precedence',
    severity: 'warn',
    pattern:
      /\b(?:instead of|rather than|before|prior to)\b[^.!?]{0,20}\b(?:(?:any |all |the )?other|another|every|any)\b[^.!?]{0,20}\b(?:tools?|servers?|functions?)\b|\balways (?:use|call|prefer|run|invoke)\b|\b(?:must|should) (?:always )?be (?:called|used|run|invoked) (?:first|before)\b|\b(?:use|call|run|invoke) this (?:tool )?first\b|\bprefer this\b/,
  },
  {
    rule: 'runs_commands',
    severity: 'warn',
    pattern: /\b(?:curl|wget)\s{1,4}[-\w"'h]|\|\s?(?:ba|z)?sh\b|\brm -rf\b|\beval\(|\bpowershell\b/,
  },
  {
    rule: 'encoded_text',
    severity: 'warn',
    raw: true,
    pattern: /[A-Za-z0-9+/_-]{200}|(?:\\x[0-9a-fA-F]{2}){32}|(?:\\u[0-9a-fA-F]{4}){16}/,
  },
];

/** Letters of other scripts that look like Latin ones, in lower case. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ а: 'a', с: 'c', ԁ: 'd', е: 'e', һ: 'h', і: 'i', ј: 'j', к: 'k', ӏ: 'l', м: 'm', о: 'o', р: 'p' },
    ...{ ѕ: 's', т: 't', у: 'y', х: 'x', в: 'b', н: 'h', г: 'r', ѵ: 'v', ԝ: 'w', ԛ: 'q' },
    ...{ α: 'a', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x', γ: 'y', η: 'n' },
    ...{ ı: 'i', ł: 'l', ø: 'o', ɑ: 'a', ɡ: 'g', ꜱ: 's' },
  }),
);

const INVISIBLE =
  /[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e01ef}]/gu;
/** Arabic ligatures of 8 and 18 letters, which would make a text as much longer. */
const LONG_LIGATURES = /[\ufdfa\ufdfb]/g;
const MARKS = /\p{M}/gu;
const NOT_ASCII = /[^\u0000-\u007f]/g;

/**
 * Returns the text in its visual form: compatibility forms, case, marks, invisible characters and
 * look-alike letters are folded. It is at most seven times as long.
 */
export function foldedText(text: string): string {
  if (!/[^\u0000-\u007f]/.test(text)) return text.toLowerCase();
  return text
    .replace(LONG_LIGATURES, ' ')
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(NOT_ASCII, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}
