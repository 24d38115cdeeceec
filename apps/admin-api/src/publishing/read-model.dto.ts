import { ArrayMaxSize, IsArray, IsString } from 'class-validator';
import { KEYS_PER_EVENT_MAX } from '@gw/entities';

/** Keys of any text: an unknown one must not make the others of its read fail. */
export class DocumentsRequestDto {
  @IsArray()
  @ArrayMaxSize(KEYS_PER_EVENT_MAX)
  @IsString({ each: true })
  keys!: string[];
}
