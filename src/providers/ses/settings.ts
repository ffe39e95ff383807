import type { Reading } from '../../config/reading.ts';
import { group, required, text, textOr, textOrFile } from '../../config/variable.ts';
import { becauseEmail, emailSettings } from '../settings.ts';

export const sesVariables = group('Amazon SES', 'With `EMAIL_PROVIDER=ses`.', {
  AWS_REGION: required('region such as `eu-west-1`'),
  AWS_ACCESS_KEY_ID: required('access key of an IAM user with permission to send'),
  AWS_SECRET_ACCESS_KEY: required('its secret'),
  AWS_SESSION_TOKEN: textOrFile('token of temporary credentials'),
  SES_CONFIGURATION_SET: text('configuration set of every mail, which publishes its events'),
  SES_SNS_TOPICS: textOr('', 'ARNs of the SNS topics whose events are trusted, separated by commas'),
  SES_API_URL: text('address of the API', 'of the region'),
});

const { variables } = sesVariables;

export type SesSettings = ReturnType<typeof readSes>;

const TOPIC = /^arn:aws(-cn|-us-gov)?:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/;
/** What Amazon allows a new account. */
const PER_SECOND = 14;

export function readSes(reading: Reading) {
  const topics = readTopics(reading);
  const what = 'a region such as eu-west-1';
  const region = reading.requiredMatching(
    variables.AWS_REGION,
    becauseEmail('ses'),
    what,
    /^[a-z]{2}(-[a-z]+)+-\d$/,
  );
  return {
    ...emailSettings(reading, 'ses', PER_SECOND),
    region,
    accessKeyId: reading.required(variables.AWS_ACCESS_KEY_ID, becauseEmail('ses')),
    secretAccessKey: reading.required(variables.AWS_SECRET_ACCESS_KEY, becauseEmail('ses')),
    sessionToken: reading.variableOrFile(variables.AWS_SESSION_TOKEN),
    configurationSet: reading.variable(variables.SES_CONFIGURATION_SET),
    topics,
    reportsNeed: topics.length === 0 ? 'SES_SNS_TOPICS' : null,
    apiUrl: reading.apiUrl(variables.SES_API_URL, `https://email.${region || 'region'}.amazonaws.com`),
  };
}

function readTopics(reading: Reading): string[] {
  const topics = reading.list(variables.SES_SNS_TOPICS);
  const invalid = topics.find((topic) => !TOPIC.test(topic));
  if (invalid !== undefined)
    reading.mistake(
      `SES_SNS_TOPICS must be topic ARNs separated by commas (arn:aws:sns:REGION:ACCOUNT:NAME), but holds "${invalid}".`,
    );
  return topics;
}
