import { Buffer } from 'node:buffer';
import { hasTagCharacters, visibleForm } from './normalize';

/**
 * A sign with its weight (100 is certain) and its patterns, which see the text in lower case
 * without accents.
 */
interface Sign {
  readonly name: string;
  readonly weight: number;
  readonly patterns: readonly RegExp[];
}

const SIGNS: readonly Sign[] = [
  {
    name: 'override',
    weight: 80,
    patterns: [
      /(?:ignore|disregard|forget|neglect|bypass|override|overrule|discard|skip|drop)[^.!?]{0,30}\b(?:(?:previous|prior|above|preceding|earlier|existing|original|initial|foregoing|system)|all|any|your|every|these|those|the)\b[^.!?]{0,30}\b(?:instruction|instructions|prompt|prompts|rule|rules|direction|directions|guideline|guidelines|command|commands|constraint|constraints|context|directives?|programming|training|policies|safety)/,
      /(?:ignore|disregard|forget) (?:everything|all|anything)(?: that was| you were| you have been| i| we)? (?:above|before|said|told|previously|prior)/,
      /(?:ignorier|vergiss|missacht|ubergeh)[^.!?]{0,42}(?:anweisung|vorgabe|regel|befehl|instruktion|prompt)/,
      /(?:ignore[zr]?|oublie[zr]?|ne tiens? pas compte|neglige[zr]?)[^.!?]{0,30}(?:instruction|consigne|regle|directive)/,
      /(?:ignora|olvida|descarta|omite)[^.!?]{0,42}(?:instruccion|orden|regla|indicacion)/,
      /(?:ignora|dimentica|scorda)[^.!?]{0,42}(?:istruzion|regol|indicazion|comand)/,
      /(?:ignore|esqueca|desconsidere)[^.!?]{0,42}(?:instruc|regra|orden)/,
      /(?:negeer|vergeet)[^.!?]{0,30}(?:instructie|regel|opdracht)/,
    ],
  },
  {
    name: 'new_instructions',
    weight: 45,
    patterns: [
      /(?:your|the) (?:new|real|actual|true|updated) (?:instructions?|task|goal|objective|role|purpose|system prompt) (?:is|are|:)/,
      /from now on,? (?:you|your|act|respond|answer|behave)/,
      /new (?:system )?(?:instructions?|prompt|directive)s?\s?:/,
      /(?:ab jetzt|von nun an) (?:bist|wirst|antwort|verhalt)/,
      /(?:a partir de ahora|desormais|d'ora in poi|a partir de agora),? /,
    ],
  },
  {
    name: 'extraction',
    weight: 60,
    patterns: [
      /(?:reveal|show|print|output|repeat|display|tell me|give me|leak|dump|what (?:is|are|were)|list|recite|copy)[^.!?]{0,40}\b(?:system prompt|system message|initial prompt|hidden (?:prompt|instructions)|your (?:prompt|instructions|rules|guidelines|initial instructions)|developer (?:message|prompt|instructions))/,
      /repeat (?:everything|all|the (?:text|words)) (?:above|before)/,
      /(?:zeig|verrat|nenn|gib|wiederhol)[^.!?]{0,42}(?:system-?prompt|systemanweisung|deine anweisungen)/,
      /(?:montre|revele|affiche|repete|muestra|revela|mostra|rivela)[^.!?]{0,42}(?:prompt|instructions systeme|instrucciones del sistema|tus instrucciones|tes instructions|istruzioni di sistema)/,
    ],
  },
  {
    name: 'jailbreak',
    weight: 60,
    patterns: [
      /\b(?:do anything now|dan mode|developer mode|jailbr(?:eak|oken)|god mode|evil mode|unrestricted mode|sudo mode|stan mode|aim mode)\b/,
      /(?:you are|act as|pretend (?:to be|you are)|roleplay as|simulate) [^.!?]{0,60}(?:no|without|not bound by|free (?:of|from)|ignores?)[^.!?]{0,20}(?:rules|restrictions|limits|limitations|filters?|guidelines|ethics|moral|censorship)/,
      /(?:without|no|disable|remove|turn off)[^.!?]{0,20}(?:content (?:filter|polic)|safety (?:filter|guideline|measure)|ethical (?:guideline|constraint)|censorship|restrictions)/,
      /\b(?:you are|act as) (?:now )?dan\b/,
      /ohne (?:jede |alle )?(?:einschrankung|filter|regeln|zensur)/,
      /sin (?:ninguna )?(?:restriccion|filtros|censura|limites eticos)/,
      /sans (?:aucune )?(?:restriction|filtre|censure|limite)/,
    ],
  },
  {
    name: 'role_markers',
    weight: 70,
    patterns: [
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|>/,
      /<<\/?sys>>|\[\/?inst\]|<start_of_turn>|<\/?system(?:_prompt)?>/,
      /(?:^| )#{2,4} ?(?:system|instruction|new instruction)s?:/,
      /(?:^|[\n.!?"'] ?)system ?: (?:you|the user|ignore|from now|new)/,
    ],
  },
  {
    name: 'exfiltration',
    weight: 60,
    patterns: [
      /!\[[^\]]{0,100}\]\(https?:\/\/[^)\s?&]{0,200}[?&][^)\s=]{0,100}=[^)\s{<$]{0,100}(?:[{<$]|%7b)/,
      /(?:send|post|upload|forward|exfiltrate|transmit|append)[^.!?]{0,60}(?:conversation|chat history|messages|api key|credentials|passwords?|secrets|user data|the answer)[^.!?]{0,40}(?:https?:\/\/|to the (?:url|server|webhook|following))/,
    ],
  },
  {
    name: 'encoded',
    weight: 40,
    patterns: [
      /(?:decode|decrypt|base64|rot13|hex)[^.!?]{0,60}(?:and|then)[^.!?]{0,30}(?:follow|execute|run|obey|do what|comply)/,
    ],
  },
  {
    name: 'coercion',
    weight: 25,
    patterns: [
      /(?:you (?:must|have to|will)|never) (?:not )?(?:refuse|say (?:no|you can't|you cannot|sorry)|decline|mention (?:these|this|the) (?:rules|instructions))/,
      /(?:hypothetically|in a fictional|for (?:educational|research) purposes only)[^.!?]{0,60}(?:how (?:to|would)|steps|instructions)/,
      /this is (?:an? )?(?:authorized|approved|admin|administrator|developer|openai|anthropic)[^.!?]{0,30}(?:test|override|request|access|command)/,
    ],
  },
];

export interface InjectionSigns {
  /** 0 to 100. */
  readonly score: number;
  readonly signs: readonly string[];
}

/** Returns the signs that a text tries to override the instructions of the model's operator. */
export function injectionSigns(text: string): InjectionSigns {
  const plain = joined(visibleForm(text));
  const decoded = decodedParts(text);
  if (decoded !== '') return strongest(signsIn(text, plain), signsIn(decoded, joined(visibleForm(decoded))));
  return signsIn(text, plain);
}

const strongest = (direct: InjectionSigns, decoded: InjectionSigns): InjectionSigns =>
  decoded.score === 0
    ? direct
    : {
        score: Math.max(direct.score, decoded.score),
        signs: [...new Set([...direct.signs, ...decoded.signs])],
      };

/** Joins words whose letters are separated by marks (`i.g.n.o.r.e`). */
const SET_APART = /(?<![a-z0-9.*_-])[a-z](?:[.*_-][a-z]){3,}(?![a-z0-9])/g;
const joined = (plain: string): string =>
  plain.replaceAll(SET_APART, (word) => word.replaceAll(/[.*_-]/g, ''));

const ENCODED = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,4096}={0,2}(?![A-Za-z0-9+/=])/g;
const ENCODED_PARTS_MAX = 8;

/** Returns plain text that was encoded in base64; empty when there is none. */
function decodedParts(text: string): string {
  const parts: string[] = [];
  for (const [part] of text.matchAll(ENCODED)) {
    if (parts.length >= ENCODED_PARTS_MAX) break;
    const decoded = Buffer.from(part, 'base64').toString('latin1');
    if (/^[\x20-\x7e\s]+$/.test(decoded)) parts.push(decoded);
  }
  return parts.join('\n');
}

function signsIn(text: string, plain: string): InjectionSigns {
  const signs = SIGNS.filter(({ patterns }) => patterns.some((pattern) => pattern.test(plain)));
  const names = signs.map(({ name }) => name);
  let pass = signs.reduce((rest, { weight }) => rest * (1 - weight / 100), 1);
  if (hasTagCharacters(text)) {
    names.push('hidden_text');
    pass *= 0.1;
  }
  return { score: Math.round((1 - pass) * 100), signs: names };
}
