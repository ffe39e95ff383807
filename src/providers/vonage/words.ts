import { BAD_NUMBER, type CodeWords, FILTERED, NOT_ACCEPTED, ON_TRIAL, TOO_LONG } from '../phrases.ts';

/** Of the codes whose refusal alone says too little. */
export const VONAGE_WORDS: CodeWords = {
  1010: NOT_ACCEPTED,
  1020: NOT_ACCEPTED,
  1040: NOT_ACCEPTED,
  1090: TOO_LONG,
  1120: 'The customer’s country does not allow this sender.',
  1160: ON_TRIAL,
  1170: BAD_NUMBER,
  1210: FILTERED,
  1430: BAD_NUMBER,
};
