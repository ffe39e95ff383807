/** Recipients with a fixed outcome. The sandbox's own rules decide. */
const PEOPLE: readonly (readonly [address: string, number: string, fate: string])[] = [
  ['anything else', 'anything else', 'Accepted, and delivered within a second.'],
  ['silent@…', '… 9004', 'Accepted; no report ever comes.'],
  ['bounce@…', '… 9003', 'Accepted, then it bounces or fails.'],
  ['complain@…', '', 'Delivered, then marked as spam.'],
  ['refuse@…', '… 9001', 'The provider refuses every attempt.'],
  ['unknown@…', '… 9002', 'The provider takes it, and its answer is lost.'],
  ['flaky@…', '… 9006', 'Not reachable twice, then accepted.'],
  ['down@…', '… 9007', 'Never reachable.'],
  ['', '… 9005', 'Not on WhatsApp; texts work.'],
  ['', '… 9008', 'WhatsApp is delivered, then read.'],
];

export function People(): JSX.Element {
  return (
    <details class="people">
      <summary>People to push to, and what becomes of it</summary>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Number ends in</th>
            <th scope="col">What happens</th>
          </tr>
        </thead>
        <tbody>
          {PEOPLE.map(([address, number, fate]) => (
            <tr>
              <td>{address}</td>
              <td>{number}</td>
              <td>{fate}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        The start of the address counts, up to a plus or the at sign. Numbers for play:{' '}
        <code>+44 7700 909004</code> and its neighbours belong to nobody.
      </p>
    </details>
  );
}
