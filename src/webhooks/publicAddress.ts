import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether an address belongs to the public internet: the only addresses a merchant's webhook may lead to.
 * What embeds an IPv4 address (v4-mapped, NAT64, 6to4, Teredo) is not public even when the inner address is:
 * a gateway could carry it into our own network. An address with a zone id names a network of ours.
 */
export function isPublicAddress(ip: string): boolean {
  // isIP is strict: octal, hexadecimal, short and zoned forms, which other parsers read differently, end here.
  const version = ip.includes('%') ? 0 : isIP(ip);
  if (version === 4) {
    const address = ipaddr.IPv4.parse(ip);
    return address.range() === 'unicast' && !NON_PUBLIC_V4.some((block) => address.match(block));
  }
  if (version === 6) {
    const address = ipaddr.IPv6.parse(ip);
    return (
      address.match(GLOBAL_UNICAST_V6) &&
      address.range() === 'unicast' &&
      !NON_PUBLIC_V6.some((block) => address.match(block))
    );
  }
  return false;
}

/**
 * The special-purpose registries of IANA, written out so that the rule does not move with the library's own
 * categories; whatever the library adds to those counts as well.
 */
const NON_PUBLIC_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and Alibaba's metadata service
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's host services, on an otherwise public block
  '169.254.0.0/16', // link-local, and most metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnelling
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
].map((block) => ipaddr.IPv4.parseCIDR(block));

/** All that is handed out for use on the internet; it leaves out ::/96, fc00::/7, fe80::/10 and their like. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

const NON_PUBLIC_V6 = [
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map((block) => ipaddr.IPv6.parseCIDR(block));
