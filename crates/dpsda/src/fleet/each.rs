//! The reference fleet: one learner per node, and messages that are delivered.

use std::borrow::Cow;
use std::sync::Arc;

use super::Fleet;
use super::delivery::Delivery;
use super::fit::{self, sized};
use crate::learner::{Learner, Message, Style};
use crate::network::transit::Transit;
use crate::network::{Degree, Graph, Topology};
use crate::objective::Objective;
use crate::privacy::{Ledger, Plan};
use crate::{Blocks, Error};

/// What all nodes said in a round, and who is to hear it.
///
/// ```
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(3, 3)?).set(Free).graph(Ring::new(3)?).algorithm(Relay).rounds(1).check()?;
/// let said = Each::new(&spec, Seed::new(1)).speak(0);
/// assert_eq!(said.graph.links().collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 0)]); // sender, receiver
/// assert_eq!(said.messages[2].from, Degree { node: 2, heard: 2, told: 2 });
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone)]
pub struct Said {
    /// The round.
    pub round: u64,
    /// The links of that round.
    pub graph: Graph,
    /// By sender.
    pub messages: Vec<Arc<Message>>,
}

/// Learners and delivery. Faster fleets are held to this one.
///
/// ```
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(4, 2)?).set(Ball::new(5.0)?).graph(Ring::new(2)?).algorithm(Relay).rounds(3).check()?;
/// let mut fleet = Each::new(&spec, Seed::new(1));
/// let cost = OwnCost::new(4, |x| x.iter().sum(), |_, g| g.fill(1.0));
/// fleet.learn(0, &cost)?;
/// let said = fleet.speak(0); // what an eavesdropper on every link has
/// fleet.deliver(&said);
/// assert_eq!(said.messages.len(), 2);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Each {
    learners: Vec<Box<dyn Learner>>,
    style: Style,
    blocks: Arc<Blocks>,
    plan: Arc<Plan>,
    topology: Option<Arc<dyn Topology>>,
    delivery: Delivery,
}

impl Each {
    /// The learners of a specification.
    pub fn new(spec: &crate::spec::Checked, seed: crate::rng::Seed) -> Self {
        let style = spec.algorithm().style();
        let count = style.learners(spec.blocks().nodes());
        let learners = (0..count).map(|node| spec.learner(node, seed)).collect();
        let network = spec.network().map(|network| (Arc::clone(&network.topology), network.transit.clone()));
        Self::checked(learners, style, spec.shared_blocks(), spec.shared_plan(), network)
    }

    /// These learners, in order of nodes, on this network; without one they hear nobody. An error if there are more or fewer
    /// learners than the style needs, or than the network has nodes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use dpsda::network::transit::Transit;
    /// use dpsda::prelude::*;
    /// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(3).check()?;
    /// let fleet = |nodes| {
    ///     let learners = (0..2).map(|node| spec.learner(node, Seed::new(1))).collect();
    ///     let graph: Arc<dyn Topology> = Arc::new(Ring::new(nodes)?);
    ///     let network = Some((graph, Transit::prompt()));
    ///     Each::of(learners, spec.style(), spec.shared_blocks(), spec.shared_plan(), network)
    /// };
    /// assert_eq!(fleet(2)?.learners(), 2);
    /// let error = fleet(3).map(|_| ()).unwrap_err().to_string();
    /// assert_eq!(error, "network = 3 nodes: there are 2 learners, one per node (use a network of 2 nodes)");
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn of(
        learners: Vec<Box<dyn Learner>>,
        style: Style,
        blocks: Arc<Blocks>,
        plan: Arc<Plan>,
        network: Option<(Arc<dyn Topology>, Transit)>,
    ) -> Result<Self, Error> {
        let (found, expected, dim) = (learners.len(), style.learners(blocks.nodes()), blocks.dim());
        if found != expected {
            let remedy = format!("{} blocks need {expected} learners of this style", blocks.nodes());
            return Err(Error::value("learners", found, remedy));
        }
        if let Some(other) = learners.iter().map(|learner| learner.estimate().len()).find(|len| *len != dim) {
            let remedy = format!("every learner estimates all {dim} coordinates of the blocks");
            return Err(Error::value("learners", format!("an estimate of {other} coordinates"), remedy));
        }
        if !plan.is_for(&blocks) {
            let remedy = "the blocks have other sizes (make the plan for these blocks)";
            return Err(Error::value("plan", "for other blocks", remedy));
        }
        if let Some(nodes) =
            network.as_ref().map(|(topology, _)| topology.nodes()).filter(|nodes| *nodes != found)
        {
            let remedy = format!("there are {found} learners, one per node (use a network of {found} nodes)");
            return Err(Error::value("network", format!("{nodes} nodes"), remedy));
        }
        Ok(Self::checked(learners, style, blocks, plan, network))
    }

    fn checked(
        learners: Vec<Box<dyn Learner>>,
        style: Style,
        blocks: Arc<Blocks>,
        plan: Arc<Plan>,
        network: Option<(Arc<dyn Topology>, Transit)>,
    ) -> Self {
        let (topology, transit) = network.unzip();
        let delivery = Delivery::new(transit.unwrap_or_default());
        Self { learners, style, blocks, plan, topology, delivery }
    }

    /// All learners speak. Nobody has heard anything of this round yet.
    pub fn speak(&mut self, t: u64) -> Said {
        let nobody = || Graph::empty(self.learners.len());
        let graph = self.topology.as_ref().map_or_else(nobody, |topology| topology.graph(t));
        let graph = sized(graph, self.learners.len());
        let degrees = graph.degrees();
        let one = |(i, learner): (usize, &mut Box<dyn Learner>)| {
            let receivers: Vec<Degree> = graph.out(i).iter().map(|to| degrees[*to]).collect();
            Arc::new(learner.speak(t, degrees[i], &receivers))
        };
        let messages = self.learners.iter_mut().enumerate().map(one).collect();
        Said { round: t, graph, messages }
    }

    /// All learners listen to the messages that have arrived. Links to nodes that do not exist are ignored.
    pub fn deliver(&mut self, said: &Said) {
        self.delivery.deliver(&mut self.learners, said);
    }

    /// Every node's own part of a cost.
    fn parts<'a>(&self, f: &'a dyn Objective) -> Result<Vec<Box<dyn Objective + 'a>>, Error> {
        let nodes = self.learners.len();
        let part = |i| {
            let part = f.part(i, nodes).ok_or_else(|| {
                let remedy = "every node learns from its own part, and this cost has none (use an algorithm in which nodes \
                              share one cost)";
                Error::value("cost", "whole", remedy)
            })?;
            fit::fits(&*part, &self.blocks, "a part ")?;
            Ok(part)
        };
        (0..nodes).map(part).collect()
    }

    /// How many messages are on their way.
    pub fn under_way(&self) -> usize {
        self.delivery.under_way()
    }
}

impl Fleet for Each {
    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn style(&self) -> Style {
        self.style
    }

    fn learners(&self) -> usize {
        self.learners.len()
    }

    fn estimate(&self, i: usize) -> Cow<'_, [f64]> {
        Cow::Borrowed(self.learners[i].estimate())
    }

    fn dual(&self, i: usize) -> Option<(Vec<f64>, f64)> {
        self.learners[i].dual()
    }

    fn staleness(&self, i: usize, t: u64) -> Option<u64> {
        self.learners[i].staleness(t)
    }

    fn ledger(&self, i: usize) -> &Ledger {
        self.learners[i].ledger()
    }

    fn learn(&mut self, t: u64, f: &dyn Objective) -> Result<(), Error> {
        fit::fits(f, &self.blocks, "")?;
        if let Some(learner) = self.learners.first() {
            fit::has_agents(f, &self.plan, &self.blocks, || learner.estimate().into())?;
        }
        if !self.style.splits_costs() {
            let sealed = self.plan.seal(f);
            self.learners.iter_mut().for_each(|learner| learner.learn(t, &sealed));
            return Ok(());
        }
        let parts = self.parts(f)?; // all of them, before anybody learns
        for (learner, part) in self.learners.iter_mut().zip(&parts) {
            learner.learn(t, &self.plan.seal(&**part));
        }
        Ok(())
    }

    fn exchange(&mut self, t: u64) {
        let said = self.speak(t);
        self.deliver(&said);
    }
}
