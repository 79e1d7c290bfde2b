------------------------------- MODULE Lease -------------------------------
(***************************************************************************)
(* One key: clients that take, renew and release its lease through one     *)
(* store record, and a resource that they write to while they believe the  *)
(* lease is theirs.                                                        *)
(*                                                                         *)
(* What is modelled                                                        *)
(*  - Clocks.  The store counts down to expiry, every client counts down   *)
(*    to its own deadline; the two are never compared, only durations      *)
(*    travel.  A client's clock may miss up to MaxLag ticks of the         *)
(*    store's.  Time itself has no bound.                                  *)
(*  - The network.  `net' only grows, and what is in it may arrive at any  *)
(*    later moment, in any order, many times or never.  Delay, loss and    *)
(*    duplication therefore need no actions of their own.                  *)
(*  - Pauses.  A stopped client takes no step while time goes on.  One     *)
(*    that is stopped between its last look at the lease and its effect    *)
(*    is a write that has left (`Write') and lands much later (`Land').    *)
(*  - Crashes.  `Forget' drops a call and tells nobody; a holder that      *)
(*    crashes is one whose `Release' never arrives.                        *)
(*                                                                         *)
(* What is not                                                             *)
(*  - Refusals, and the reply to a release: no belief depends on them.     *)
(*  - The line of waiters, cooldown, settling, purging, several keys.      *)
(*  - The store's clock as the floor of a fence: fences are successors.    *)
(*  - A store that forgets what it acknowledged, or whose clock jumps.     *)
(*  - Liveness: only what must never happen is checked.                    *)
(*                                                                         *)
(* The last five constants each stand for one rule.  With all of them      *)
(* TRUE, as in Lease.cfg, TLC must find nothing; with one FALSE it must    *)
(* find a broken promise.  LeaseModelTest runs both.                       *)
(***************************************************************************)
EXTENDS Integers, TLC

CONSTANTS
  Clients,        \* who competes for the key
  Ttl,            \* ticks from a grant or a renewal to expiry
  Margin,         \* ticks by which a client stops early
  MaxLag,         \* ticks that a client's clock may miss, over all time
  MaxCalls,       \* bound: acquire calls of all clients together
  MaxFence,       \* bound: grants of the key
  Fenced,         \* the resource refuses a fence lower than its last
  Tombstone,      \* the record refuses the call that was released last
  FromSend,       \* a deadline counts from the send, not from the reply
  KeepFence,      \* a release leaves the fence in the record
  CheckRelease    \* a release must name the nonce and fence on record

VARIABLES
  lag,            \* ticks that each client's clock has missed
  store,          \* the record: holder's nonce, dead nonce, fence, ticks left
  net,            \* all messages ever sent
  client,         \* what each client knows; `left' is by its own clock
  calls,          \* acquire calls so far; each call's number is its nonce
  resource,       \* the fence that came with the last accepted write
  released        \* history, read by NoReleasedCallReturns alone

vars == <<lag, store, net, client, calls, resource, released>>

None == 0
Idle == [state |-> "idle", nonce |-> None, fence |-> None, left |-> 0]
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

Init ==
  /\ lag = [c \in Clients |-> 0]
  /\ store = [nonce |-> None, dead |-> None, fence |-> None, left |-> 0]
  /\ net = {}
  /\ client = [c \in Clients |-> Idle]
  /\ calls = 0
  /\ resource = None
  /\ released = {}

Send(m) == net' = net \cup {m}

----------------------------------------------------------------------------
(* Time.  A message that carries an age was sent by a client, or answers   *)
(* one that was; the age is by that client's clock and stops at Ttl, where *)
(* nobody can use the answer any more.                                     *)

Older(m, running) ==
  IF "age" \in DOMAIN m /\ m.from \in running
  THEN [m EXCEPT !.age = Min(@ + 1, Ttl)]
  ELSE m

Tick == \E running \in SUBSET Clients :
  /\ \A c \in Clients \ running : lag[c] < MaxLag
  /\ lag' = [c \in Clients |-> IF c \in running THEN lag[c] ELSE lag[c] + 1]
  /\ store' = [store EXCEPT !.left = Max(@ - 1, 0)]
  /\ client' = [c \in Clients |->
       IF c \in running THEN [client[c] EXCEPT !.left = Max(@ - 1, 0)] ELSE client[c]]
  /\ net' = {Older(m, running) : m \in net}
  /\ UNCHANGED <<calls, resource, released>>

----------------------------------------------------------------------------
(* Clients.                                                                *)

Valid(c) == client[c].state = "held" /\ client[c].left > 0

\* What is left of the lease that a reply promises.
Left(reply) == Ttl - Margin - (IF FromSend THEN reply.age ELSE 0)

Awaited(m) ==
  client[m.from].state = "asking" /\ client[m.from].nonce = m.nonce

Trusted(m) ==
  Valid(m.from) /\ client[m.from].nonce = m.nonce /\ client[m.from].fence = m.fence

Ask(c, nonce) == Send([kind |-> "acquire", from |-> c, nonce |-> nonce, age |-> 0])

Call(c) ==
  /\ client[c].state = "idle"
  /\ calls < MaxCalls
  /\ calls' = calls + 1
  /\ client' = [client EXCEPT ![c] = [Idle EXCEPT !.state = "asking", !.nonce = calls']]
  /\ Ask(c, calls')
  /\ UNCHANGED <<lag, store, resource, released>>

\* No reply yet: the same call asks again, under the same nonce.
AskAgain(c) ==
  /\ client[c].state = "asking"
  /\ Ask(c, client[c].nonce)
  /\ UNCHANGED <<lag, store, client, calls, resource, released>>

\* A reply with nothing left in it gives no lease.
Granted(m) ==
  /\ m.kind = "granted"
  /\ Awaited(m)
  /\ Left(m) > 0
  /\ client' = [client EXCEPT ![m.from].state = "held",
                              ![m.from].fence = m.fence,
                              ![m.from].left = Left(m)]
  /\ UNCHANGED <<lag, store, net, calls, resource, released>>

Renew(c) ==
  /\ Valid(c)
  /\ Send([kind |-> "renew", from |-> c, age |-> 0,
           nonce |-> client[c].nonce, fence |-> client[c].fence])
  /\ UNCHANGED <<lag, store, client, calls, resource, released>>

\* A lost lease does not come back; an old reply does not shorten a lease.
Renewed(m) ==
  /\ m.kind = "renewed"
  /\ Trusted(m)
  /\ client' = [client EXCEPT ![m.from].left = Max(@, Left(m))]
  /\ UNCHANGED <<lag, store, net, calls, resource, released>>

Write(c) ==
  /\ Valid(c)
  /\ Send([kind |-> "write", fence |-> client[c].fence])
  /\ UNCHANGED <<lag, store, client, calls, resource, released>>

Release(c) ==
  /\ client[c].state = "held"
  /\ Send([kind |-> "release", nonce |-> client[c].nonce, fence |-> client[c].fence])
  /\ client' = [client EXCEPT ![c] = Idle]
  /\ UNCHANGED <<lag, store, calls, resource, released>>

\* Stops waiting, or crashes while it waits.
Forget(c) ==
  /\ client[c].state = "asking"
  /\ client' = [client EXCEPT ![c] = Idle]
  /\ UNCHANGED <<lag, store, net, calls, resource, released>>

----------------------------------------------------------------------------
(* The store and the resource.                                             *)

OnRecord(m) == store.nonce = m.nonce /\ store.fence = m.fence

Acquire(m) ==
  LET mine == store.nonce = m.nonce
      open == store.nonce = None \/ store.left = 0
      fence == IF mine THEN store.fence ELSE store.fence + 1
  IN /\ m.kind = "acquire"
     /\ mine \/ open
     /\ Tombstone => store.dead # m.nonce
     /\ fence <= MaxFence
     /\ store' = [store EXCEPT !.nonce = m.nonce, !.fence = fence, !.left = Ttl]
     /\ Send([kind |-> "granted", from |-> m.from, nonce |-> m.nonce,
              fence |-> fence, age |-> m.age])
     /\ UNCHANGED <<lag, client, calls, resource, released>>

\* Expiry is not asked: a lease that ran out and was not taken goes on.
Extend(m) ==
  /\ m.kind = "renew"
  /\ OnRecord(m)
  /\ store' = [store EXCEPT !.left = Ttl]
  /\ Send([m EXCEPT !.kind = "renewed"])
  /\ UNCHANGED <<lag, client, calls, resource, released>>

MayFree(m) == CheckRelease => OnRecord(m)

Free(m) ==
  /\ m.kind = "release"
  /\ store.nonce # None
  /\ MayFree(m)
  /\ store' = [nonce |-> None, dead |-> store.nonce, left |-> 0,
               fence |-> IF KeepFence THEN store.fence ELSE None]
  /\ released' = released \cup {store.nonce}
  /\ UNCHANGED <<lag, net, client, calls, resource>>

Accepts(m) == Fenced => m.fence >= resource

Land(m) ==
  /\ m.kind = "write"
  /\ Accepts(m)
  /\ resource' = m.fence
  /\ UNCHANGED <<lag, store, net, client, calls, released>>

----------------------------------------------------------------------------
Next ==
  \/ Tick
  \/ \E c \in Clients :
       Call(c) \/ AskAgain(c) \/ Renew(c) \/ Write(c) \/ Release(c) \/ Forget(c)
  \/ \E m \in net :
       Granted(m) \/ Renewed(m) \/ Acquire(m) \/ Extend(m) \/ Free(m) \/ Land(m)

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* What must hold.                                                         *)

AtMostOneValid == \A a, b \in Clients : Valid(a) /\ Valid(b) => a = b

\* Stronger: whoever believes in the lease is on record, and before expiry.
ValidMeansHeld == \A c \in Clients : Valid(c) =>
  /\ store.nonce = client[c].nonce
  /\ store.fence = client[c].fence
  /\ store.left > 0

\* A fence never goes back and every new holder gets a higher one: so none comes twice.
FencesGrow == [][
  /\ store'.fence >= store.fence
  /\ store'.nonce \notin {None, store.nonce} => store'.fence > store.fence]_store

\* Whoever wants the key back after its deadline needs a new call.
LostStaysLost == [][\A c \in Clients :
  client[c].state = "held" /\ ~Valid(c) /\ client'[c].nonce = client[c].nonce
    => ~Valid(c)']_client

ResourceNeverGoesBack == [][resource' >= resource]_resource

\* A late duplicate of the call that was released last does not re-take the key.
ReleasedStaysReleased == store.nonce # None => store.nonce # store.dead

\* The same for every call ever released.  This one does not hold: a record has one
\* tombstone, so once another call was released too, a still older duplicate gets the key.
\* It costs one Ttl of waiting: its fence is new, and nobody believes in the grant.
NoReleasedCallReturns == store.nonce \notin released

----------------------------------------------------------------------------
(* Smaller search.  Two states are one if they differ only in messages     *)
(* that can never have an effect again, or in ages that nobody will read.  *)
(* Everything here follows from a guard above, used by its name, and from  *)
(* properties that are checked themselves: up to the first step that       *)
(* breaks one, fences grow, so a record, a belief or a lower write that is *)
(* gone stays gone.                                                        *)

Matters(m) ==
  CASE m.kind = "acquire" -> store.nonce = m.nonce \/ store.fence < MaxFence
    [] m.kind = "granted" -> Awaited(m) /\ Left(m) > 0
    [] m.kind = "renew"   -> OnRecord(m)
    [] m.kind = "renewed" -> Trusted(m) /\ Left(m) > 0
    [] m.kind = "release" -> MayFree(m)
    [] m.kind = "write"   -> Accepts(m)

Read(m) ==
  IF (m.kind = "acquire" /\ ~Awaited(m)) \/ (m.kind = "renew" /\ ~Trusted(m))
  THEN [m EXCEPT !.age = Ttl]
  ELSE m

View == <<lag, store, client, calls, resource, {Read(m) : m \in {m \in net : Matters(m)}}>>

ViewWithHistory == <<View, released>>

Symmetry == Permutations(Clients)
=============================================================================
